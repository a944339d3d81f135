import { AppError } from '../../../shared/errors.ts'
import type { Clock, Log, Random } from '../../deps.ts'
import { type CommandSurroundings, startCommand } from './command-start.ts'
import { type CommandHooks, type CommandResult, type CommandRun, readOnlyLimits } from './command-types.ts'
import { type ListedCommand, notStarted, statusOf, waitForCommand } from './listed-command.ts'
import { createLeftoverCommands } from './processes/leftover-commands.ts'
import { signalGroup } from './processes/process-group.ts'
import { followCommand } from './running-command.ts'

export type CommandRunner = ReturnType<typeof createCommandRunner>

export type CommandRunnerDeps = CommandSurroundings & {
  clock: Clock
  random: Random
  log: Log
  hostId: string
  dataDir: string
  /** Time between the request to end and the end by force. Units: milliseconds. */
  graceMs?: number
}

const defaultLimitBytes = 1_000_000
const defaultGraceMs = 2000
const limitRunning = 64
/** Number of ended commands whose outputs can still be read, over all owners. */
const keptEnded = 32

/** Runs commands and keeps those in the background, each with an owner. */
export function createCommandRunner(deps: CommandRunnerDeps) {
  const { clock, random, log, graceMs = defaultGraceMs } = deps
  const leftovers = createLeftoverCommands({ ...deps, graceMs })
  /** The commands that can be asked about: all that run, and the last ones that have ended. */
  const commands = new Map<string, ListedCommand>()
  const running = (): ListedCommand[] => [...commands.values()].filter(({ end }) => end === null)
  const ended = (): ListedCommand[] => [...commands.values()].filter(({ end }) => end !== null)
  const owned = (ownerId?: string): ListedCommand[] =>
    [...commands.values()].filter(({ run }) => ownerId === undefined || run.ownerId === ownerId)
  const find = (commandId: string, ownerId?: string): ListedCommand | undefined =>
    owned(ownerId).find((listed) => listed.commandId === commandId)
  const forget = (listed: readonly ListedCommand[]): void => {
    for (const { commandId } of listed) commands.delete(commandId)
  }
  const closing = new AbortController()
  const leaving = new Map<string, AbortController>()
  /** Work that is not finished, with its owner. */
  const pending = new Map<Promise<unknown>, string>()

  // The last resort, for an exit that does not wait: an uncaught error, or process.exit.
  const onExit = (): void => {
    for (const { command } of running()) signalGroup(command.groupId, 'SIGKILL')
  }
  process.on('exit', onExit)

  const ownerSignal = (ownerId: string): AbortSignal => {
    const controller = leaving.get(ownerId) ?? new AbortController()
    leaving.set(ownerId, controller)
    return controller.signal
  }

  const start = async (run: CommandRun, hooks: CommandHooks, signal: AbortSignal): Promise<CommandResult> => {
    const commandId = `cmd-${random.id().slice(0, 8)}`
    if (running().length >= limitRunning)
      return notStarted(commandId, { code: 'command/too-many', limit: limitRunning })
    try {
      signal.throwIfAborted()
      const child = await startCommand(deps, run, signal)
      const removeNote = leftovers.note(child.groupId)
      const command = followCommand(child, {
        clock,
        graceMs,
        limitBytes: run.limitBytes ?? defaultLimitBytes,
        ...(run.isReadOnly === true ? { endBytes: readOnlyLimits.outputBytes } : {}),
        onOutput: onOutput(hooks),
      })
      const listed: ListedCommand = { commandId, run, command, startedAt: clock.now(), end: null }
      commands.set(commandId, listed)
      const whenEnded = command.ended.then((end) => {
        listed.end = end
        removeNote()
        forget(ended().slice(0, -keptEnded))
        return end
      })
      keepPending(whenEnded, run.ownerId)
      const result = await waitForCommand(clock, listed, whenEnded, signal)
      return result.end === 'background' ? { ...result, ended: whenEnded } : result
    } catch (error) {
      if (signal.aborted) return notStarted(commandId, null)
      if (error instanceof AppError) return notStarted(commandId, error.info)
      throw error
    }
  }

  const keepPending = (work: Promise<unknown>, ownerId: string): void => {
    const done = (): void => void pending.delete(work)
    pending.set(work, ownerId)
    void work.then(done, done)
  }

  /** Waits for all unfinished work. Commands that are just starting see their signal and end by themselves. */
  const settled = async (ownerId?: string): Promise<void> => {
    const awaited = [...pending].filter(([, owner]) => ownerId === undefined || owner === ownerId)
    await Promise.allSettled(awaited.map(([work]) => work))
  }

  const onOutput = (hooks: CommandHooks) => (text: string) => {
    try {
      hooks.onOutput?.(text)
    } catch (error) {
      // An error in the listener must not end the command, nor the host.
      log.bug(error, 'commands.on-output')
    }
  }

  const end = async (listed: readonly ListedCommand[]): Promise<void> => {
    for (const { command } of listed) command.stop('stopped')
    await Promise.all(listed.map(({ command }) => command.ended))
  }

  return {
    /** Runs a line. Does not reject for errors that a command can meet: `end` and `failure` of the result report them. */
    run(run: CommandRun, hooks: CommandHooks): Promise<CommandResult> {
      const signal = AbortSignal.any([hooks.signal, closing.signal, ownerSignal(run.ownerId)])
      const work = start(run, hooks, signal)
      keepPending(work, run.ownerId)
      return work
    },
    /**
     * Returns output, also of an ended command while it is kept. Null for an unknown id, or one of another owner. Units:
     * bytes of the plain text; `nextBytes` is where the next part begins, `skippedBytes` had been cut away.
     */
    outputOf(
      commandId: string,
      options: { ownerId?: string; sinceBytes?: number; limitBytes?: number } = {},
    ) {
      const { ownerId, sinceBytes = 0, limitBytes } = options
      const listed = find(commandId, ownerId)
      if (listed === undefined) return null
      const { text, nextBytes, skippedBytes } = listed.command.kept.read(sinceBytes, limitBytes)
      return { ...statusOf(listed), output: text, nextBytes, skippedBytes }
    },
    /** Stops a command; resolves when it has ended. False for an unknown id, or one of another owner. */
    async stop(commandId: string, ownerId?: string): Promise<boolean> {
      const listed = find(commandId, ownerId)
      if (listed === undefined) return false
      await end([listed])
      return true
    },
    /** Returns the commands of one owner, or of all, newest last. */
    list: (ownerId?: string) => owned(ownerId).map(statusOf),
    /** Ends the running commands of an owner and forgets its outputs. */
    async stopOwned(ownerId: string): Promise<void> {
      leaving.get(ownerId)?.abort()
      leaving.delete(ownerId)
      await end(owned(ownerId))
      await settled(ownerId)
      forget(ended().filter(({ run }) => run.ownerId === ownerId))
    },
    /** Ends commands left by a host that was killed; called once, at the start. Returns how many groups were ended. */
    endLeftovers: (): Promise<number> => leftovers.endAll(),
    /** Ends all commands; those that are run afterwards are stopped before they start. */
    async dispose(): Promise<void> {
      closing.abort()
      await end(owned())
      await settled()
      process.off('exit', onExit)
    },
  }
}
