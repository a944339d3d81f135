import { AppError } from '../../shared/errors.ts'
import type { SpeculationCoordinator } from '../speculation/speculation-coordinator.ts'
import type { OpenSession } from './session-host.ts'

/**
 * Runs the undo and redo of turns one after the other in each open session. A message and an acceptance wait for `over`
 * before they begin or add a turn, since the undo would remove that turn as well.
 */
export class Rewinds {
  readonly #last = new WeakMap<OpenSession, Promise<void>>()

  /**
   * Stops the running turn, then does `work`. Queued messages stay queued.
   *
   * Errors: `speculation/accepting` while one is accepted into the session; one that begins later waits for `over`.
   */
  async run<T>(
    open: OpenSession,
    speculations: { known(sessionId: string): Pick<SpeculationCoordinator, 'isAccepting'> | undefined },
    work: () => T | Promise<T>,
  ): Promise<T> {
    const { runner, session } = open
    if (speculations.known(session.sessionId)?.isAccepting === true)
      throw new AppError({ code: 'speculation/accepting' })
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
