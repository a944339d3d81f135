import {
  noSuggestion,
  type SuggestionOutcome,
  type SuggestionState,
} from '../../../src/shared/domain/session/suggestion.ts'
import { createTopic } from './topic.ts'

/** The suggestions of a host in any of its sessions, as set by a test. */
export class FakeSuggestions {
  state: SuggestionState = noSuggestion
  readonly topic = createTopic<SuggestionState>()
  readonly outcomes: (SuggestionOutcome & { suggestionId: string })[] = []
  /** Another window has decided first. */
  isTooLate = false
  #count = 0
  #others: { suggestionId: string; text: string }[] = []

  offer(text: string): void {
    this.#count += 1
    this.become({ ...noSuggestion, suggestionId: `suggestion-${this.#count}`, text, source: 'model' })
  }

  /** Offers several suggestions at once, of which the first is shown. */
  offerAll(texts: readonly string[]): void {
    this.#others = texts.map((text) => {
      this.#count += 1
      return { suggestionId: `suggestion-${this.#count}`, text }
    })
    this.#show(0)
  }

  other(suggestionId: string, step: 1 | -1): void {
    const at = this.#others.findIndex((one) => one.suggestionId === this.state.suggestionId)
    const isKnown = this.#others.some((one) => one.suggestionId === suggestionId)
    if (at >= 0 && isKnown) this.#show((at + step + this.#others.length) % this.#others.length)
  }

  #show(at: number): void {
    const place = { number: at + 1, count: this.#others.length, isMaking: false }
    this.become({ ...noSuggestion, ...this.#others[at], source: 'option', place })
  }

  become(state: SuggestionState): void {
    this.state = state
    this.topic.publish(state)
  }

  outcome(suggestionId: string, outcome: SuggestionOutcome): { isFirst: boolean } {
    const isFirst = !this.isTooLate && this.state.suggestionId === suggestionId
    if (isFirst) {
      this.outcomes.push({ suggestionId, ...outcome })
      this.become(noSuggestion)
    }
    return { isFirst }
  }
}
