import type { Clock } from '../../deps.ts'
import { delay } from '../../platform/delay.ts'
import type { ListedCommand } from './command-list.ts'
import { resultOf } from './command-result.ts'
import { commandTimeouts, readOnlyLimits } from './command-timeouts.ts'
import type { CommandResult, CommandRun } from './command-types.ts'
import type { CommandEnd } from './running-command.ts'

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
