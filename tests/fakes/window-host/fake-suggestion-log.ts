import {
  newSuggestionEvent,
  type SuggestionEvent,
  type SuggestionPause,
  type SuggestionSummary,
} from '../../../src/shared/domain/session/suggestion.ts'

type LoggedEvent = SuggestionEvent & { seq: number }

/** The outcomes of suggestions, as set by a test. */
export class FakeSuggestionLog {
  /** Newest first. */
  events: LoggedEvent[] = []
  pauses: SuggestionPause[] = []
  summary: SuggestionSummary = {
    offered: 0,
    accepted: 0,
    ignored: 0,
    methods: { tab: 0, enter: 0, right: 0 },
    reasons: {},
    promptTokens: 0,
    reusedTokens: 0,
    completionTokens: 0,
    similarity: null,
    msToSuggestion: null,
  }

  add(event: Partial<SuggestionEvent> = {}): void {
    const seq = (this.events[0]?.seq ?? 0) + 1
    const made = newSuggestionEvent({
      suggestionId: `suggestion-${seq}`,
      sessionId: 'session-1',
      at: seq,
      source: 'model',
      modelName: 'SmolLM2',
      length: 9,
      promptTokens: 900,
      reusedTokens: 890,
      completionTokens: 4,
      msToSuggestion: 300,
      ...event,
    })
    this.events.unshift({ ...made, seq })
  }

  list(before = Number.MAX_SAFE_INTEGER, limit = 100) {
    const older = this.events.filter(({ seq }) => seq < before)
    return {
      events: older.slice(0, limit),
      hasMore: older.length > limit,
      summary: this.summary,
      pauses: this.pauses,
    }
  }
}
