/** A task that runs at the next pause in typing. */
export type PausedTask = {
  /** To be called when the author did something: the task is due at the next pause. */
  hear(): void
  /** Does it now where it is due. */
  finish(): void
  /** It is not due any more. */
  stop(): void
}

/**
 * Does tasks once nothing was heard for `pauseMs`, at most twice that later, and `longestMs` after the first that was
 * heard at the latest.
 *
 * What a window shows or keeps about a text is told by this: never between two keys of an author who types, and by one
 * timer for all of it, since each timer that fires costs a good part of a key.
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

  task(act: () => void): PausedTask {
    return {
      hear: () => {
        this.#due.add(act)
        this.#hear()
      },
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

  /** A timer is not set anew for every key: it looks when it is over how long ago the last one was. */
  #look(): void {
    const now = performance.now()
    const longestLeftMs = this.#firstAt + this.#longestMs - now
    if (this.#lastAt + this.#pauseMs - now > 1 && longestLeftMs > 1) {
      // A whole pause, not what is left of it: one look for two keys.
      this.#timer = setTimeout(() => this.#look(), Math.min(this.#pauseMs, longestLeftMs))
      return
    }
    this.#timer = undefined
    const due = [...this.#due]
    this.#due.clear()
    for (const act of due) act()
  }
}
