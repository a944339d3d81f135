import { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'

/** Created once: the stack of a new error for each request costs more than the rest of the watch. */
const over = new Error('the watch is over')

/**
 * A signal that is aborted when `parent` is, or when no data came for too long.
 *
 * Shape: the reason is then `model/timeout` with the phase that was waited for.
 */
export class SilenceWatch {
  readonly #silence = new AbortController()
  readonly #clock: Clock
  #timer: { cancel(): void } | undefined
  readonly signal: AbortSignal

  constructor(clock: Clock, parent: AbortSignal) {
    this.#clock = clock
    this.signal = AbortSignal.any([parent, this.#silence.signal])
  }

  /** Notes that data came, or that the wait begins: the next data must come within `timeoutMs`. */
  expect(phase: 'first-token' | 'idle', timeoutMs: number): void {
    this.#timer?.cancel()
    this.#timer = this.#clock.setTimeout(() => {
      this.#silence.abort(new AppError({ code: 'model/timeout', phase, timeoutMs }))
    }, timeoutMs)
  }

  /** Ends the watch and aborts its signal. */
  close(): void {
    this.#timer?.cancel()
    this.#silence.abort(over)
  }
}
