import {
  noSuggestion,
  type SuggestionOutcome,
  type SuggestionState,
} from '../../../src/shared/domain/session/suggestion.ts'
import { createTopic } from './topic.ts'

/** What a host suggests in any of its sessions, as a test says it. */
export class FakeSuggestions {
  state: SuggestionState = noSuggestion
  readonly topic = createTopic<SuggestionState>()
  readonly outcomes: (SuggestionOutcome & { suggestionId: string })[] = []
  /** Another window is quicker. */
  isTooLate = false
  #count = 0

  offer(text: string): void {
    this.#count += 1
    this.become({ ...noSuggestion, suggestionId: `suggestion-${this.#count}`, text, source: 'model' })
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
