import type { DocumentService } from '../documents/document-service.ts'
import type { Disk } from '../platform/files/disk.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'
import type { ChangeSets } from './apply-change-set.ts'
import { createSeveralFolders, fixedFolder } from './several-folders.ts'
import { createWorkspaceOperations, type WorkspaceCommands } from './workspace-operations.ts'

/** Owner of commands, with all folders of its session. */
export type CommandOwner = { id: string; folders(): readonly string[] }

/** Owner of what the user does by hand, which belongs to no session. */
const windowOwner: CommandOwner = { id: 'window', folders: () => [] }

/** Creates the file operations of real folders. */
export function createFolderOperations(deps: {
  disk: Disk
  documents: DocumentService
  changeSets: ChangeSets
  commandsIn(root: string, owner: CommandOwner): WorkspaceCommands
}) {
  const operationsIn = (root: string, owner: CommandOwner, disk = deps.disk): ToolOperations =>
    createWorkspaceOperations({
      ...deps,
      root,
      disk,
      commands: deps.commandsIn(root, owner),
    })
  return {
    byHand: (root: string): ToolOperations => operationsIn(root, windowOwner),
    /** Returns the operations of a session in its own folder and the added ones; and those of one folder alone. */
    ofSession(root: string, sessionId: string, added: () => readonly string[]) {
      const owner = { id: sessionId, folders: () => [root, ...added()] }
      const own = { root, operations: operationsIn(root, owner) }
      const alone = (at: string): ToolOperations =>
        at === root ? own.operations : operationsIn(at, owner, fixedFolder(deps.disk, at))
      return {
        root,
        operations: createSeveralFolders({ own, added, operationsIn: alone }),
        operationsIn: alone,
      }
    },
  }
}

/** Returns change sets that report the changes of files that were applied, and those that documents show already. */
export function reportedChangeSets(
  changeSets: ChangeSets,
  heard: {
    applied(root: string, changes: Parameters<ChangeSets['apply']>[0]['changes']): void
    settled: ChangeSets['settled'] & {}
  },
): ChangeSets {
  return {
    ...changeSets,
    async apply(request) {
      const applied = await changeSets.apply(request)
      heard.applied(request.root, request.changes)
      return applied
    },
    settled: heard.settled,
  }
}
