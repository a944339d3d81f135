import type { OpenSession } from './session-host.ts'

/**
 * Turns that are being taken back, or made again, in each open session: one after the other. Whatever would begin
 * something there waits for `over`, since it would be taken back as well.
 */
export class Rewinds {
  readonly #last = new WeakMap<OpenSession, Promise<void>>()

  /** Stops what runs, then does `work`. Queued messages stay queued: none begins in turns that are taken back. */
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

  /** Resolves when no turn is being taken back any more. */
  async over(open: OpenSession): Promise<void> {
    let seen: Promise<void> | undefined
    for (let last = this.#last.get(open); last !== seen; last = this.#last.get(open)) {
      await last
      seen = last
    }
  }
}
