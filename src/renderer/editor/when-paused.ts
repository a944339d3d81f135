/** A task that runs at the next pause in typing. */
export type PausedTask = ReturnType<WhenPaused['task']>

/**
 * Runs tasks once nothing was heard for `pauseMs`, at most twice that later, and at the latest `longestMs` after the
 * first call.
 *
 * Everything that a window shows or keeps about a text runs here: never between two keys of an author who types, and by
 * one timer for all of it, since each timer that fires costs a good part of a key.
 */
export class WhenPaused {
  readonly #pauseMs: number
  readonly #longestMs: number
  readonly #due = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #firstAt = 0
  #lastAt = 0

  constructor({ pauseMs, longestMs }: { pauseMs: number; longestMs: number }) {
    this.#pauseMs = pauseMs
    this.#longestMs = longestMs
  }

  task(act: () => void) {
    return {
      /** To be called when the author did something: the task is due at the next pause. */
      hear: () => {
        this.#due.add(act)
        this.#hear()
      },
      /** Runs the task now where it is due. */
      finish: () => {
        if (this.#due.delete(act)) act()
      },
      stop: () => void this.#due.delete(act),
    }
  }

  #hear(): void {
    this.#lastAt = performance.now()
    if (this.#timer !== undefined) return
    this.#firstAt = this.#lastAt
    this.#timer = setTimeout(() => this.#look(), this.#pauseMs)
  }

  /** Checks, when the timer ends, how long ago the last key was: no timer is set anew for every key. */
  #look(): void {
    const now = performance.now()
    const longestLeftMs = this.#firstAt + this.#longestMs - now
    if (this.#lastAt + this.#pauseMs - now > 1 && longestLeftMs > 1) {
      // Waits a whole pause, not the rest of one: one check for two keys.
      this.#timer = setTimeout(() => this.#look(), Math.min(this.#pauseMs, longestLeftMs))
      return
    }
    this.#timer = undefined
    const due = [...this.#due]
    this.#due.clear()
    for (const act of due) act()
  }
}
