import { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'

/** Made once: the stack of a new error for each request costs more than the rest of the watch. */
const over = new Error('the watch is over')

type Phase = 'first-token' | 'idle'

/**
 * A signal that fires when `parent` does, or when nothing was heard for too long.
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

  /** Something was heard (or the wait begins): the next sound must come within `timeoutMs`. */
  expect(phase: Phase, timeoutMs: number): void {
    this.#timer?.cancel()
    this.#timer = this.#clock.setTimeout(() => {
      this.#controller.abort(new AppError({ code: 'model/timeout', phase, timeoutMs }))
    }, timeoutMs)
  }

  /** Ends the watch, and whatever still listens to its signal. */
  close(): void {
    this.#timer?.cancel()
    this.#parent.removeEventListener('abort', this.#follow)
    this.#controller.abort(over)
  }

  #follow = (): void => this.#controller.abort(this.#parent.reason)
}
