import type { Clock } from '../deps.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

/** Waits `delayMs` by this clock; throws the signal's reason when it fires first. */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }, delayMs)
    const giveUp = () => {
      timer.cancel()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
  })
}

/** Returns whether `work` is still pending after `delayMs`. Its failure is left to the code that awaits it. */
export function isSlow(clock: Clock, work: Promise<unknown>, delayMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => resolve(true), delayMs)
    const settled = () => {
      timer.cancel()
      resolve(false)
    }
    work.then(settled, settled)
  })
}
