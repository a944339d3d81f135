import { AppError } from '../shared/errors.ts'
import type { DocumentService } from './documents/document-service.ts'
import type { Disk } from './platform/files/disk.ts'
import { type CommandSandbox, type SandboxPlace, UnlistedFolder } from './sandbox/command-sandbox.ts'
import type { CommandHooks, CommandResult, CommandRun } from './tools/commands/command-types.ts'
import type { CommandRunner } from './tools/commands/create-command-runner.ts'
import { notStarted } from './tools/commands/listed-command.ts'
import type { CommandOutcome, ToolOperations } from './tools/tool-operations.ts'
import type { ChangeSets } from './workspace/apply-change-set.ts'
import { ripgrepPath } from './workspace/search/ripgrep-path.ts'
import { createWorkspaceOperations, type WorkspaceCommands } from './workspace/workspace-operations.ts'
import { createWritableFolder } from './workspace/writable-folder.ts'

/** Owner of commands, with all folders of its session. */
export type CommandOwner = { id: string; folders(): readonly string[] }

/** Makes the file operations of a real folder. `disk` stands in for `deps.disk`. */
export function createFolderOperations(
  deps: SessionCommandsDeps,
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

export type SessionCommandsDeps = {
  commands: Pick<CommandRunner, 'run' | 'outputOf' | 'stop'>
  sandbox: CommandSandbox
  disk: Disk
  documents: DocumentService
  changeSets: ChangeSets
  /** Called when a command may have added or removed files. */
  noteChange(root: string): void
}

/** Creates the commands of a session in one folder, which run in a copy of it where that is asked for. */
export function createSessionCommands(
  deps: SessionCommandsDeps,
): (root: string, owner: CommandOwner) => WorkspaceCommands {
  const { commands } = deps
  return (root, { id: ownerId, folders }) => {
    const placeNow = () => {
      const added = folders().filter((folder) => folder !== root)
      return { ownerId, root, added, folder: createWritableFolder({ ...deps, root, added }) }
    }
    return {
      async execute({ folder: cwd, isSandboxed, over, ...command }, onOutput, signal) {
        const run = { ...command, ownerId, cwd, root, folders: folders() }
        const hooks = { onOutput, signal }
        const place = { ...placeNow(), cwd, ...(over === undefined ? {} : { over }) }
        const { failure, ...outcome } =
          isSandboxed === true ? await runSandboxed(deps, place, run, hooks) : await commands.run(run, hooks)
        deps.noteChange(root)
        if (failure !== null) throw new AppError(failure)
        return outcome
      },
      askedRun: (callId) => deps.sandbox.reopen({ ...placeNow(), callId }),
      commandOutput: (commandId, sinceBytes) => commands.outputOf(commandId, { ownerId, sinceBytes }),
      stopCommand: (commandId) => commands.stop(commandId, ownerId),
    }
  }
}

/** The result of a command of whose folder no copy may be made: it did not run. */
const unlisted: CommandResult & Pick<CommandOutcome, 'sandboxed'> = {
  ...notStarted('', null),
  end: 'failed-to-start',
  sandboxed: { commandChanges: null, hindrance: 'unlisted' },
}

/** Runs a command in the sandbox. It is stopped when it has written more than it may. */
async function runSandboxed(
  { sandbox, commands }: Pick<SessionCommandsDeps, 'sandbox' | 'commands'>,
  place: SandboxPlace,
  command: CommandRun,
  hooks: CommandHooks,
): Promise<CommandResult & Pick<CommandOutcome, 'sandboxed' | 'copy'>> {
  // Null where the secrets that the copy must hide could not be found in time.
  const run = await sandbox.begin(place).catch((error: unknown) => {
    if (error instanceof UnlistedFolder) return null
    throw error
  })
  if (run === null) return unlisted
  const tooMuch = new AbortController()
  const watch = sandbox.watch(run, place, () => tooMuch.abort())
  try {
    const walled: CommandRun = { ...command, wall: run.wall, environment: run.environment }
    const signal = AbortSignal.any([hooks.signal, tooMuch.signal])
    const result = await commands.run(walled, { ...hooks, signal })
    const isTooMuch = await watch.end()
    const { end, exitCode, output } = result
    const outcome = { isOk: end === 'exited' && exitCode === 0, isCut: end !== 'exited', output }
    if (place.over !== undefined) {
      const { effects, hindrance } = await sandbox.endCopy(run, place, outcome)
      return {
        ...result,
        sandboxed: { commandChanges: null, hindrance: isTooMuch ? 'size' : hindrance },
        copy: {
          effects: isTooMuch ? null : effects,
          beganAtNs: run.beganAtNs,
          remove: () => sandbox.remove(run),
        },
      }
    }
    const sandboxed = await sandbox.end(run, place, outcome)
    if (!isTooMuch) return { ...result, sandboxed }
    await sandboxed.commandChanges?.drop()
    return { ...result, sandboxed: { commandChanges: null, hindrance: 'size' } }
  } catch (error) {
    await watch.end()
    await sandbox.remove(run)
    throw error
  }
}
