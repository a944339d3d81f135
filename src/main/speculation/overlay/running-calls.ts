/** The calls that are running. No call begins after `close`. */
export class RunningCalls {
  readonly #running = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()

  /** Errors: the reason of `close`. */
  async run<T>(work: (closing: AbortSignal) => Promise<T>): Promise<T> {
    this.#closing.signal.throwIfAborted()
    const running = work(this.#closing.signal)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** Resolves when the calls that run now have ended, one way or the other. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running])
  }

  /** Stops what can be stopped, and waits for the rest. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.settled()
  }
}
