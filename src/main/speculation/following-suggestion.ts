/**
 * The suggestion for the message after a speculation. It is generated as soon as the speculation is complete, and it
 * belongs to the speculation: the user may accept that before, while or after the suggestion is generated.
 *
 * Shape: `made` resolves with null where the speculation does not complete, where no suggestion passes the filters, or
 * after `end`.
 */
export class FollowingSuggestion {
  readonly made: Promise<string | null>
  readonly #end = new AbortController()
  #text: string | null = null
  #isOver = false
  #isTaken = false

  /** `isComplete` resolves when the speculation has ended: true where it completed. Neither promise may reject. */
  constructor(isComplete: Promise<boolean>, make: (signal: AbortSignal) => Promise<string | null>) {
    this.made = this.#make(isComplete, make)
  }

  /** The suggestion; null until it is generated. */
  get text(): string | null {
    return this.#text
  }

  /** Hands over the suggestion, or the promise of it. The second call answers null. */
  take(): string | null | Promise<string | null> {
    if (this.#isTaken) return null
    this.#isTaken = true
    return this.#isOver ? this.#text : this.made
  }

  /** Stops generating. A suggestion that is already there stays. */
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
