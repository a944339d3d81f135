import type { Timers } from '../delay.ts'
import { countGraphemes } from '../text/graphemes.ts'

/** Shape: `shownAt` in ms since the epoch, 0 while nothing is visible. */
export type SuggestionGhost = { suggestion: string | null; isVisible: boolean; shownAt: number }

export type AcceptMethod = 'tab' | 'enter' | 'right'

/** How a visible suggestion ended. Units: ms since it was shown; graphemes. */
type GhostOutcome =
  | { outcome: 'accepted'; method: AcceptMethod; timeMs: number; length: number }
  | { outcome: 'ignored'; timeMs: number; length: number }

export const noGhost: Readonly<SuggestionGhost> = Object.freeze({
  suggestion: null,
  isVisible: false,
  shownAt: 0,
})

/** Units: ms. */
const ghostDelayMs = 300
const acceptLockMs = 100

export type SuggestionControllerDeps = {
  clock: Timers & { now(): number }
  onState(state: Readonly<SuggestionGhost>): void
  /** Called once for each suggestion that was accepted or dismissed. */
  onOutcome(outcome: GhostOutcome): void
  /** Called in a separate microtask, after the state. */
  onAccept(text: string): void
  /** Receives an error that `onAccept` threw. */
  onFailure(error: unknown): void
}

/** Shows a ghost after a delay; only a visible one is accepted. Source: `docs/decisions/suggestions.md`. */
export class SuggestionController {
  readonly #deps: SuggestionControllerDeps
  #state: Readonly<SuggestionGhost> = noGhost
  #showing: { cancel(): void } | null = null
  #lock: { cancel(): void } | null = null
  #isEnabled = true
  #isOver = false

  constructor(deps: SuggestionControllerDeps) {
    this.#deps = deps
  }

  get state(): Readonly<SuggestionGhost> {
    return this.#state
  }

  /** True just after an acceptance: the same key is not meant for another one. */
  get isLocked(): boolean {
    return this.#lock !== null
  }

  /** Shows `text` after the delay, in place of a visible one; at once where the user asked for it. Null removes it. */
  set(text: string | null, { isAsked = false }: { isAsked?: boolean } = {}): void {
    if (this.#isOver || (!this.#isEnabled && text !== null)) return
    this.#cancelShowing()
    if (text === null) {
      this.#become(noGhost)
      return
    }
    const show = () => this.#become({ suggestion: text, isVisible: true, shownAt: this.#deps.clock.now() })
    if (isAsked) {
      show()
      return
    }
    this.#showing = this.#deps.clock.setTimeout(() => {
      this.#showing = null
      show()
    }, ghostDelayMs)
  }

  /** Accepts the visible suggestion; false where there is none. `skipOnAccept`: the caller has its text already. */
  accept(method: AcceptMethod, { skipOnAccept = false }: { skipOnAccept?: boolean } = {}): boolean {
    if (this.#isOver || this.#lock !== null) return false
    // A key pressed before anything is visible was meant for something else: nothing may appear under the key.
    this.#cancelShowing()
    const { suggestion, isVisible } = this.#state
    if (!isVisible || suggestion === null) return false
    this.#lock = this.#deps.clock.setTimeout(() => {
      this.#lock = null
    }, acceptLockMs)
    this.#deps.onOutcome({ outcome: 'accepted', method, ...this.#measure(suggestion) })
    this.#become(noGhost)
    if (!skipOnAccept) queueMicrotask(() => this.#hand(suggestion))
    return true
  }

  /** Records that the user ignored the suggestion, and removes it. */
  dismiss(): void {
    const { suggestion, isVisible } = this.#state
    this.#cancelShowing()
    if (this.#isOver || !isVisible || suggestion === null) return
    this.#deps.onOutcome({ outcome: 'ignored', ...this.#measure(suggestion) })
    this.#become(noGhost)
  }

  clear(): void {
    if (this.#isOver) return
    this.#cancelTimers()
    this.#become(noGhost)
  }

  enable(isEnabled: boolean): void {
    if (this.#isEnabled === isEnabled) return
    this.#isEnabled = isEnabled
    if (!isEnabled) this.clear()
  }

  /** Ends the controller with its window: no callback is called any more. */
  cleanup(): void {
    this.#cancelTimers()
    this.#isOver = true
    this.#state = noGhost
  }

  #measure(suggestion: string): { timeMs: number; length: number } {
    return { timeMs: this.#deps.clock.now() - this.#state.shownAt, length: countGraphemes(suggestion) }
  }

  #become(state: Readonly<SuggestionGhost>): void {
    this.#state = state
    this.#deps.onState(state)
  }

  #hand(text: string): void {
    try {
      this.#deps.onAccept(text)
    } catch (error) {
      this.#deps.onFailure(error)
    }
  }

  #cancelTimers(): void {
    this.#cancelShowing()
    this.#lock?.cancel()
    this.#lock = null
  }

  #cancelShowing(): void {
    this.#showing?.cancel()
    this.#showing = null
  }
}
