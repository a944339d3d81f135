import type { Api } from '../../shared/contract/index.ts'
import type { suggestionContract } from '../../shared/contract/suggestion.ts'
import type { SuggestionRepository } from '../store/suggestion-repository.ts'
import type { SuggestionService } from '../suggestions/suggestion-service.ts'

/** The next input before it is typed, and what became of it. */
export function createSuggestionApi(parts: {
  suggestions: SuggestionService
  events: SuggestionRepository
}): Pick<Api, keyof typeof suggestionContract> {
  const { suggestions, events } = parts
  return {
    'suggestion.watch': ({ sessionId, isAttended }, { signal }) =>
      suggestions.watch(sessionId, isAttended, signal),
    'suggestion.outcome': async ({ sessionId, suggestionId, outcome }) => ({
      isFirst: suggestions.outcome(sessionId, suggestionId, outcome),
    }),
    'suggestion.list': async (query) => ({
      ...events.list(query),
      summary: events.summary(),
      pauses: suggestions.pauses(),
    }),
    'suggestion.erase': async () => {
      events.erase()
      return {}
    },
    'suggestion.resume': async () => {
      suggestions.resume()
      return {}
    },
  }
}
