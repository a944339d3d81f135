/** The writing of a layer into its folder. What runs above the layer then sees the folder neither before nor after it. */
export class Uptake {
  #times = 0
  #going: Promise<unknown> = Promise.resolve()

  /** How often it has begun. */
  get times(): number {
    return this.#times
  }

  async during<T>(write: () => Promise<T>): Promise<T> {
    this.#times++
    const writing = write()
    this.#going = Promise.allSettled([this.#going, writing])
    return writing
  }

  /** When nothing is being written. */
  async settled(): Promise<void> {
    await this.#going
  }
}
