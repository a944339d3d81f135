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
      const ofSession = speculations.known(sessionId)
      const isTaken = ofSession?.isTaken(speculationId) ?? false
      return { isFirst: ofSession?.accept(speculationId) ?? false, isTaken }
    },
    'speculation.preview': async ({ sessionId, speculationId }) =>
      speculations.known(sessionId)?.preview(speculationId) ?? null,
    'speculation.decide': async ({ sessionId, speculationId, decision }) => ({
      isTaken: (await speculations.known(sessionId)?.decide(speculationId, decision)) ?? false,
    }),
    'speculation.reject': async ({ sessionId, speculationId }) => ({
      isFirst: speculations.known(sessionId)?.reject(speculationId) ?? false,
    }),
    'speculation.rerun': async ({ sessionId, speculationId }) => ({
      isFirst: (await speculations.known(sessionId)?.rerun(speculationId)) ?? false,
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
