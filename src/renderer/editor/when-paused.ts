/**
 * Calls `act` once nothing was heard for `pauseMs`, at most twice that later, and `longestMs` after the first that was
 * heard at the latest.
 *
 * What a window shows about a text is told by this: never between two keys of an author who types.
 */
export class WhenPaused {
  readonly #act: () => void
  readonly #pauseMs: number
  readonly #longestMs: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #firstAt = 0
  #lastAt = 0

  constructor(act: () => void, { pauseMs, longestMs }: { pauseMs: number; longestMs: number }) {
    this.#act = act
    this.#pauseMs = pauseMs
    this.#longestMs = longestMs
  }

  hear(): void {
    this.#lastAt = performance.now()
    if (this.#timer !== undefined) return
    this.#firstAt = this.#lastAt
    this.#timer = setTimeout(() => this.#look(), this.#pauseMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
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
    this.#act()
  }
}
