import type { DocumentService } from './documents/document-service.ts'
import type { Disk } from './platform/files/disk.ts'
import { createSessionCommands, type SessionCommandsDeps } from './session-commands.ts'
import type { ToolOperations } from './tools/tool-operations.ts'
import { ripgrepPath } from './workspace/search/ripgrep-path.ts'
import { createWorkspaceOperations } from './workspace/workspace-operations.ts'

/** Owner of commands, with all folders of its session. */
export type CommandOwner = { id: string; folders(): readonly string[] }

/** Makes the file operations of a real folder. `disk` stands in for `deps.disk`. */
export function createFolderOperations(
  deps: {
    disk: Disk
    documents: DocumentService
  } & SessionCommandsDeps,
): (root: string, owner: CommandOwner, disk?: Disk) => ToolOperations {
  const { documents, changeSets } = deps
  const commandsIn = createSessionCommands(deps)
  return (root, owner, disk = deps.disk) =>
    createWorkspaceOperations({
      root,
      disk,
      documents,
      changeSets,
      rgPath: ripgrepPath(),
      commands: commandsIn(root, owner),
    })
}
