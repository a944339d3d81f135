import { AppError } from '../../shared/errors.ts'
import type { CommandHooks, CommandResult, CommandRun } from '../tools/commands/command-types.ts'
import type { CommandRunner } from '../tools/commands/create-command-runner.ts'
import { notStarted } from '../tools/commands/listed-command.ts'
import type { CommandOutcome } from '../tools/tool-operations.ts'
import type { CommandOwner } from '../workspace/folder-operations.ts'
import type { WorkspaceCommands } from '../workspace/workspace-operations.ts'
import { type CommandSandbox, type SandboxPlace, UnlistedFolder } from './command-sandbox.ts'

export type FolderCommandsDeps = {
  commands: Pick<CommandRunner, 'run' | 'outputOf' | 'stop'>
  sandbox: CommandSandbox
  /** Returns the folder for changes that a command has made in a copy. */
  writableFolder(root: string, added: readonly string[]): SandboxPlace['folder']
  /** Called when a command may have added or removed files. */
  noteChange(root: string): void
}

/** Creates the commands of an owner in one folder, which run in a copy of it where that is asked for. */
export function createFolderCommands(
  deps: FolderCommandsDeps,
): (root: string, owner: CommandOwner) => WorkspaceCommands {
  const { commands } = deps
  return (root, { id: ownerId, folders }) => {
    const placeNow = () => {
      const added = folders().filter((folder) => folder !== root)
      return { ownerId, root, added, folder: deps.writableFolder(root, added) }
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
  { sandbox, commands }: Pick<FolderCommandsDeps, 'sandbox' | 'commands'>,
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
