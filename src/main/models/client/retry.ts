import { delay } from '../../../shared/delay.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import type { ModelEvents } from './model-client.ts'

/** Delays between attempts that failed before the first token. */
const retryDelaysMs = [500, 1_000, 2_000]
/** The same where the server takes no request now and does not say when it will. */
const busyDelaysMs = [1_000, 2_000, 4_000, 8_000]
/** A server that asks for a longer wait is asked again after this one. */
const longestWaitMs = 60_000

/** The cause of an error of a server that takes no request now. `waitMs`: the wait it asks for; null: not told. */
export class ServerBusy extends Error {
  override readonly name = 'ServerBusy'
  readonly waitMs: number | null

  constructor(waitMs: number | null) {
    super('busy')
    this.waitMs = waitMs
  }
}

/** One request for an answer. Shape: `hasBegun` once anything of the answer was seen. */
export type Attempt<Outcome> = {
  readonly hasBegun: boolean
  events(signal: AbortSignal): ModelEvents<Outcome>
}

/**
 * Asks again where a busy server or a cut connection gave nothing of an answer.
 *
 * Shape: `changesRequest` is true for an error that another request avoids: the next attempt is then made at once, and
 * the failed one does not count.
 */
export async function* retry<Outcome>(
  clock: Clock,
  signal: AbortSignal,
  begin: () => Attempt<Outcome>,
  changesRequest: (error: unknown) => boolean = () => false,
): ModelEvents<Outcome> {
  for (let failed = 0; ; ) {
    const attempt = begin()
    try {
      return yield* attempt.events(signal)
    } catch (error) {
      if (attempt.hasBegun) throw error
      if (changesRequest(error)) continue
      const delayMs = delayBefore(error, failed)
      const isPassing = isAppError(error, 'model/busy') || isAppError(error, 'model/cut')
      if (!isPassing || delayMs === undefined) throw error
      failed += 1
      yield { type: 'phase', phase: 'queued', progress: null, ...(isAsked(error) && { waitMs: delayMs }) }
      await delay(clock, delayMs, signal)
    }
  }
}

/** The same for a request without events. */
export function retryCall<Result>(clock: Clock, signal: AbortSignal, call: () => Promise<Result>) {
  async function* events(): ModelEvents<Result> {
    yield* []
    return call()
  }
  return retry(clock, signal, () => ({ hasBegun: false, events }))
}

/** Returns the wait before the next attempt; undefined where no other is made. Units: milliseconds. */
function delayBefore(error: unknown, failed: number): number | undefined {
  if (!isAsked(error)) return retryDelaysMs[failed]
  const usual = busyDelaysMs[failed]
  return usual === undefined ? undefined : Math.min(error.cause.waitMs ?? usual, longestWaitMs)
}

function isAsked(error: unknown): error is Error & { cause: ServerBusy } {
  return error instanceof Error && error.cause instanceof ServerBusy
}
