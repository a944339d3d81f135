import { AppError } from '../shared/errors.ts'
import type { DocumentService } from './documents/document-service.ts'
import type { Disk } from './platform/files/disk.ts'
import type { CommandRunner } from './tools/commands/create-command-runner.ts'
import type { ToolOperations } from './tools/tool-operations.ts'
import type { ChangeSets } from './workspace/apply-change-set.ts'
import { ripgrepPath } from './workspace/ripgrep-path.ts'
import { createWorkspaceOperations } from './workspace/workspace-operations.ts'

/** Whose commands they are, and all folders of its session. */
export type CommandOwner = { id: string; folders(): readonly string[] }

/** Makes the operations of a real folder; `disk` may be one that sees the folder in a way of its own. */
export function createFolderOperations(deps: {
  disk: Disk
  documents: DocumentService
  changeSets: Pick<ChangeSets, 'apply'>
  commands: Pick<CommandRunner, 'run' | 'outputOf' | 'stop'>
  noteChange(root: string): void
}): (root: string, owner: CommandOwner, disk?: Disk) => ToolOperations {
  const { documents, changeSets, commands, noteChange } = deps
  return (root, owner, disk = deps.disk) =>
    createWorkspaceOperations({
      root,
      disk,
      documents,
      changeSets,
      rgPath: ripgrepPath(),
      commands: {
        async execute({ folder, ...command }, onOutput, signal) {
          const run = { ...command, ownerId: owner.id, cwd: folder, root, folders: owner.folders() }
          const { failure, ...outcome } = await commands.run(run, { onOutput, signal })
          noteChange(root)
          if (failure !== null) throw new AppError(failure)
          return outcome
        },
        commandOutput: (commandId, sinceBytes) =>
          commands.outputOf(commandId, { ownerId: owner.id, sinceBytes }),
        stopCommand: (commandId) => commands.stop(commandId, owner.id),
      },
    })
}
