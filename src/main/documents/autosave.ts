import type { Clock } from '../deps.ts'

const quietMs = 300
/** Latest time of a save. With the windows' batching before and the write after, typed text is on disk in a second. */
const latestMs = 600
const retryMs = 5_000

/** Saves a changed document after a short pause in typing, and soon even without one. */
export function createAutosave(clock: Clock, save: () => void) {
  let timer: { cancel(): void } | undefined
  let waitsSince: number | undefined

  function cancel(): void {
    timer?.cancel()
    timer = undefined
    waitsSince = undefined
  }
  function start(delayMs: number): void {
    timer?.cancel()
    timer = clock.setTimeout(() => {
      cancel()
      save()
    }, delayMs)
  }
  return {
    changed(): void {
      waitsSince ??= clock.now()
      start(Math.max(0, Math.min(quietMs, waitsSince + latestMs - clock.now())))
    },
    retryLater: (): void => start(retryMs),
    cancel,
  }
}
