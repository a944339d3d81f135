import type { Api } from '../../shared/contract/index.ts'
import type { speculationContract } from '../../shared/contract/speculation.ts'
import type { SpeculationService } from '../speculation/speculation-service.ts'
import type { SpeculationRepository } from '../store/speculation-repository.ts'
import type { SuggestionService } from '../suggestions/suggestion-service.ts'

/** Creates the API of speculations and of their outcomes. */
export function createSpeculationApi(parts: {
  speculations: SpeculationService
  suggestions: Pick<SuggestionService, 'outcome'>
  events: SpeculationRepository
}): Pick<Api, keyof typeof speculationContract> {
  const { speculations, suggestions, events } = parts
  return {
    'speculation.watch': ({ sessionId }, { signal }) => speculations.watch(sessionId, signal),
    async 'speculation.accept'({ sessionId, speculationId, suggestion }) {
      if (suggestion !== undefined) suggestions.outcome(sessionId, suggestion.suggestionId, suggestion)
      const isTaken = speculations.isTaken(sessionId, speculationId)
      return { isFirst: speculations.accept(sessionId, speculationId), isTaken }
    },
    'speculation.preview': ({ sessionId, speculationId }) => speculations.preview(sessionId, speculationId),
    'speculation.decide': async ({ sessionId, speculationId, decision }) => ({
      isTaken: await speculations.decide(sessionId, speculationId, decision),
    }),
    'speculation.reject': async ({ sessionId, speculationId }) => ({
      isFirst: speculations.reject(sessionId, speculationId),
    }),
    'speculation.rerun': async ({ sessionId, speculationId }) => ({
      isFirst: await speculations.rerun(sessionId, speculationId),
    }),
    'speculation.resume': async () => {
      speculations.resume()
      return {}
    },
    'speculation.list': async (query) => ({
      ...events.list(query),
      summary: events.summary(),
      pause: speculations.pausing.get(),
    }),
  }
}
