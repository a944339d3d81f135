import { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'

/** Created once: the stack of a new error for each request costs more than the rest of the watch. */
const over = new Error('the watch is over')

type Phase = 'first-token' | 'idle'

/**
 * A signal that is aborted when `parent` is, or when no data came for too long.
 *
 * Shape: the reason is then `model/timeout` with the phase that was waited for.
 */
export class SilenceWatch {
  readonly #controller = new AbortController()
  readonly #clock: Clock
  readonly #parent: AbortSignal
  #timer: { cancel(): void } | undefined

  constructor(clock: Clock, parent: AbortSignal) {
    this.#clock = clock
    this.#parent = parent
    if (parent.aborted) this.#follow()
    else parent.addEventListener('abort', this.#follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Notes that data came, or that the wait begins: the next data must come within `timeoutMs`. */
  expect(phase: Phase, timeoutMs: number): void {
    this.#timer?.cancel()
    this.#timer = this.#clock.setTimeout(() => {
      this.#controller.abort(new AppError({ code: 'model/timeout', phase, timeoutMs }))
    }, timeoutMs)
  }

  /** Ends the watch and aborts its signal. */
  close(): void {
    this.#timer?.cancel()
    this.#parent.removeEventListener('abort', this.#follow)
    this.#controller.abort(over)
  }

  #follow = (): void => this.#controller.abort(this.#parent.reason)
}
