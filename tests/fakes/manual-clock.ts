import type { Clock } from '../../src/main/deps.ts'

/** A clock that stands still until the test advances it; timers fire in order meanwhile. */
export type ManualClock = Clock & { advance(ms: number): Promise<void>; readonly pending: number }

export function manualClock(start = 1_700_000_000_000): ManualClock {
  let now = start
  let timers: { at: number; callback: () => void }[] = []
  return {
    now: () => now,
    setTimeout(callback, delayMs) {
      const timer = { at: now + delayMs, callback }
      timers.push(timer)
      return {
        cancel: () => {
          timers = timers.filter((other) => other !== timer)
        },
      }
    },
    async advance(ms) {
      const end = now + ms
      for (;;) {
        const next = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers = timers.filter((timer) => timer !== next)
        now = Math.max(now, next.at)
        next.callback()
      }
      now = end
    },
    get pending() {
      return timers.length
    },
  }
}
