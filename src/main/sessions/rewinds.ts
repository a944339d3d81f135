import type { OpenSession } from './session-host.ts'

/**
 * Runs the undo and redo of turns one after the other in each open session. A message waits for `over` before it begins
 * a turn, since the undo would remove that turn as well.
 */
export class Rewinds {
  readonly #last = new WeakMap<OpenSession, Promise<void>>()

  /** Stops the running turn, then does `work`. Queued messages stay queued. */
  run<T>(open: OpenSession, work: () => T | Promise<T>): Promise<T> {
    const { runner } = open
    const rewind = async (): Promise<T> => {
      await this.#last.get(open)
      runner.stop()
      await runner.idle()
      return work()
    }
    const result = rewind()
    const last: Promise<void> = result.then(
      () => undefined,
      () => undefined,
    )
    this.#last.set(open, last)
    return result
  }

  /** Resolves when no undo or redo of a turn is running. */
  async over(open: OpenSession): Promise<void> {
    let seen: Promise<void> | undefined
    for (let last = this.#last.get(open); last !== seen; last = this.#last.get(open)) {
      await last
      seen = last
    }
  }
}
