import { AppError } from '../../shared/errors.ts'
import { createSerialQueue, type SerialQueue } from '../../shared/serial-queue.ts'
import type { SpeculationCoordinator } from '../speculation/speculation-coordinator.ts'
import type { OpenSession } from './session-host.ts'

/**
 * Runs the undo and redo of turns one after the other in each open session. A message and an acceptance wait for `over`
 * before they begin or add a turn, since the undo would remove that turn as well.
 */
export class Rewinds {
  readonly #queues = new WeakMap<OpenSession, SerialQueue>()

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
    const inTurn = this.#queues.get(open) ?? createSerialQueue()
    this.#queues.set(open, inTurn)
    return inTurn(async () => {
      runner.stop()
      await runner.idle()
      return work()
    })
  }

  /** Resolves when no undo or redo of a turn is running. */
  async over(open: OpenSession): Promise<void> {
    await this.#queues.get(open)?.idle()
  }
}
