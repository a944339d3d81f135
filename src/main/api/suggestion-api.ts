import type { Api } from '../../shared/contract/index.ts'
import type { suggestionContract } from '../../shared/contract/suggestion.ts'
import type { SpeculationRepository } from '../store/speculation-repository.ts'
import type { SuggestionRepository } from '../store/suggestion-repository.ts'
import type { SuggestionService } from '../suggestions/suggestion-service.ts'

/** Creates the API of suggestions and of their outcomes. */
export function createSuggestionApi(parts: {
  suggestions: SuggestionService
  events: SuggestionRepository
  /** The speculations of suggestions, which are erased with them. */
  speculations: Pick<SpeculationRepository, 'erase'>
}): Pick<Api, keyof typeof suggestionContract> {
  const { suggestions, events, speculations } = parts
  return {
    'suggestion.watch': ({ sessionId, isAttended }, { signal }) =>
      suggestions.watch(sessionId, isAttended, signal),
    'suggestion.outcome': async ({ sessionId, suggestionId, outcome }) => ({
      isFirst: suggestions.outcome(sessionId, suggestionId, outcome),
    }),
    'suggestion.other': async ({ sessionId, suggestionId, step }) => {
      suggestions.other(sessionId, suggestionId, step)
      return {}
    },
    'suggestion.list': async (query) => ({
      ...events.list(query),
      summary: events.summary(),
      pauses: suggestions.pauses(),
    }),
    'suggestion.erase': async () => {
      events.erase()
      speculations.erase()
      return {}
    },
    'suggestion.resume': async () => {
      suggestions.resume()
      return {}
    },
  }
}
