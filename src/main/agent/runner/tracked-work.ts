/** Work that is under way by itself: what it throws is heard, and nothing hangs on it. */
export class TrackedWork {
  readonly #work = new Set<Promise<void>>()
  readonly #failed: (error: unknown) => void
  readonly #onEnd: () => void

  constructor(failed: (error: unknown) => void, onEnd: () => void) {
    this.#failed = failed
    this.#onEnd = onEnd
  }

  get isEmpty(): boolean {
    return this.#work.size === 0
  }

  track(work: Promise<void>): void {
    const tracked: Promise<void> = work.catch(this.#failed).finally(() => {
      this.#work.delete(tracked)
      this.#onEnd()
    })
    this.#work.add(tracked)
  }

  /** Resolves when all that is under way now has ended. */
  async idle(): Promise<void> {
    await Promise.all([...this.#work])
  }
}
