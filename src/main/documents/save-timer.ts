import type { Clock } from '../deps.ts'

const quietMs = 300
/** Latest time of a save. With the windows' batching before and the write after, typed text is on disk in a second. */
const latestMs = 600
const retryMs = 5_000

/** Saves a changed document after a short pause in typing, and soon even without one. */
export class SaveTimer {
  #clock: Clock
  #save: () => void
  #timer: { cancel(): void } | undefined
  #waitsSince: number | undefined

  constructor(clock: Clock, save: () => void) {
    this.#clock = clock
    this.#save = save
  }

  changed(): void {
    const now = this.#clock.now()
    this.#waitsSince ??= now
    this.#start(Math.max(0, Math.min(quietMs, this.#waitsSince + latestMs - now)))
  }

  retryLater(): void {
    this.#start(retryMs)
  }

  cancel(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#waitsSince = undefined
  }

  #start(delayMs: number): void {
    this.#timer?.cancel()
    this.#timer = this.#clock.setTimeout(() => {
      this.cancel()
      this.#save()
    }, delayMs)
  }
}
