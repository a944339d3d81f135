import type { Clock } from '../../src/main/deps.ts'

/** A clock that runs `times` as fast as the system's, so that waits between attempts are short. */
export function fastClock(times: number): Clock {
  const start = Date.now()
  return {
    now: () => start + (Date.now() - start) * times,
    setTimeout(callback, delayMs) {
      const timer = setTimeout(callback, delayMs / times)
      return { cancel: () => clearTimeout(timer) }
    },
  }
}
