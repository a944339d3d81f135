/**
 * What is suggested behind a run. It is made as soon as the run is complete, and is handed over with the run: an
 * acceptance may come before, meanwhile or after.
 *
 * Shape: `made` is null where the run does not come to its end, nothing passes, or it was ended before.
 */
export class FollowingSuggestion {
  readonly made: Promise<string | null>
  readonly #end = new AbortController()
  #text: string | null = null
  #isOver = false
  #isTaken = false

  /** `isComplete`: whether the run came to its end, once it has. Neither may fail. */
  constructor(isComplete: Promise<boolean>, make: (signal: AbortSignal) => Promise<string | null>) {
    this.made = this.#make(isComplete, make)
  }

  /** Null as long as there is none. */
  get text(): string | null {
    return this.#text
  }

  /** What is there, or comes; once. */
  take(): string | null | Promise<string | null> {
    if (this.#isTaken) return null
    this.#isTaken = true
    return this.#isOver ? this.#text : this.made
  }

  /** It is not wanted any more; what was made by then stays. */
  end(): void {
    this.#end.abort()
  }

  async #make(
    isComplete: Promise<boolean>,
    make: (signal: AbortSignal) => Promise<string | null>,
  ): Promise<string | null> {
    const { signal } = this.#end
    const text = (await isComplete) && !signal.aborted ? await make(signal) : null
    this.#text = signal.aborted ? null : text
    this.#isOver = true
    return this.#text
  }
}
