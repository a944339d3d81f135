/**
 * Counts how often a layer is written into its folder, and waits for such a writing. A command of a layer above sees a
 * half-written folder while one is in progress.
 */
export class Uptake {
  #times = 0
  #going: Promise<unknown> = Promise.resolve()

  /** How many writings have begun. */
  get times(): number {
    return this.#times
  }

  async during<T>(write: () => Promise<T>): Promise<T> {
    this.#times++
    const writing = write()
    this.#going = Promise.allSettled([this.#going, writing])
    return writing
  }

  /** Resolves when no writing is in progress. */
  async settled(): Promise<void> {
    await this.#going
  }
}
