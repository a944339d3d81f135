/** Work that goes on beside its caller, which can wait until all of it is over. */
export class PendingWork {
  readonly #all = new Set<Promise<void>>()
  readonly #heard: (error: unknown) => void

  /** `heard` receives the error of each failed work, also where no caller awaits it. */
  constructor(heard: (error: unknown) => void) {
    this.#heard = heard
  }

  get isOver(): boolean {
    return this.#all.size === 0
  }

  /** Returns the same work. */
  track<T>(work: Promise<T>): Promise<T> {
    const tracked: Promise<void> = work.then(
      () => void this.#all.delete(tracked),
      (error: unknown) => {
        this.#all.delete(tracked)
        this.#heard(error)
      },
    )
    this.#all.add(tracked)
    return work
  }

  /** Waits for all work, and for work that begins meanwhile. */
  async settled(): Promise<void> {
    while (!this.isOver) await Promise.all([...this.#all])
  }
}
