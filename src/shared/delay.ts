/** The timers of a clock; tests bring their own. Units: milliseconds. */
export type Timers = { setTimeout(callback: () => void, delayMs: number): { cancel(): void } }

export const systemTimers: Timers = {
  setTimeout: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

/** Waits `delayMs` by these timers; throws the signal's reason when it fires first. */
export function delay(timers: Timers, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const timer = timers.setTimeout(() => {
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

/** Rejects with the signal's reason as soon as it aborts; the work itself goes on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason)
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/** Returns whether `work` is still pending after `delayMs`. Its failure is left to the code that awaits it. */
export function isSlow(timers: Timers, work: Promise<unknown>, delayMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = timers.setTimeout(() => resolve(true), delayMs)
    const settled = () => {
      timer.cancel()
      resolve(false)
    }
    work.then(settled, settled)
  })
}
