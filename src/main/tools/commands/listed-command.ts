import { delay } from '../../../shared/delay.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import { type CommandResult, type CommandRun, commandTimeouts, readOnlyLimits } from './command-types.ts'
import type { CommandEnd, RunningCommand } from './running-command.ts'

/** A started command. Shape: `end` is null while it runs. */
export type ListedCommand = {
  readonly commandId: string
  readonly run: CommandRun
  readonly command: RunningCommand
  readonly startedAt: number
  end: CommandEnd | null
}

/** Returns the result when the call ends; `end` is null where the command goes on in the background. */
function resultOf(
  { commandId, command, startedAt }: ListedCommand,
  end: CommandEnd | null,
  now: number,
): CommandResult {
  return {
    commandId,
    end: end?.end ?? 'background',
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    output: command.kept.read(0).text,
    totalBytes: command.kept.totalBytes,
    isCut: command.kept.isCut,
    durationMs: end?.durationMs ?? now - startedAt,
    failure: null,
    hasLeftProcesses: end?.hasLeftProcesses ?? false,
  }
}

/** Shape: `failure` is null where it was stopped before it could start. */
export function notStarted(commandId: string, failure: ErrorInfo | null): CommandResult {
  return {
    commandId,
    end: failure === null ? 'stopped' : 'failed-to-start',
    exitCode: null,
    signal: null,
    output: '',
    totalBytes: 0,
    isCut: false,
    durationMs: 0,
    failure,
    hasLeftProcesses: false,
  }
}

/** Returns the status of a command. Shape: `end` and `exitCode` are null while it runs. */
export function statusOf({ commandId, run, command, end }: ListedCommand) {
  return {
    commandId,
    isBackground: run.isBackground === true,
    isInCopy: run.wall !== undefined,
    isRunning: end === null,
    end: end?.end ?? null,
    exitCode: end?.exitCode ?? null,
    totalBytes: command.kept.totalBytes,
  }
}

/** How long the first output of a background command is waited for: a server prints an error or its address soon. */
const backgroundWaitMs = 2000
const afterFirstWordsMs = 500

/**
 * Waits for the end of a command, or for the first output of one in the background.
 *
 * Shape: until then a stop of the call stops the command. The time limit applies only in the foreground.
 */
export async function waitForCommand(
  clock: Clock,
  listed: ListedCommand,
  ended: Promise<CommandEnd>,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { run, command } = listed
  const stop = (): void => command.stop('stopped')
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  const isBackground = run.isBackground === true
  const timeout = (): void => command.stop('timeout')
  const timer = isBackground ? null : clock.setTimeout(timeout, timeoutOf(run))
  try {
    const first = isBackground
      ? await Promise.race([ended, backgroundStart(clock, command.spoke)])
      : await ended
    command.mute()
    return resultOf(listed, first ?? listed.end, clock.now())
  } finally {
    timer?.cancel()
    signal.removeEventListener('abort', stop)
  }
}

async function backgroundStart(clock: Clock, spoke: Promise<void>): Promise<null> {
  const first = spoke.then(() => delay(clock, afterFirstWordsMs))
  await Promise.race([first, delay(clock, backgroundWaitMs)])
  return null
}

function timeoutOf({ timeoutMs, isReadOnly }: CommandRun): number {
  const { defaultMs } = commandTimeouts
  const limitMs = isReadOnly === true ? readOnlyLimits.timeoutMs : commandTimeouts.limitMs
  const wanted = timeoutMs ?? defaultMs
  return Math.min(Number.isFinite(wanted) && wanted > 0 ? wanted : defaultMs, limitMs)
}
