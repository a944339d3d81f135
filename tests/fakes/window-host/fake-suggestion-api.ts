import type { Api } from '../../../src/shared/contract/index.ts'
import type { suggestionContract } from '../../../src/shared/contract/suggestion.ts'
import { noSuggestion } from '../../../src/shared/domain/session/suggestion.ts'
import type { FakeHost } from './fake-host.ts'

/** The API of a host whose suggestions the test sets. */
export function suggestionApi({
  suggestions,
  suggestionLog,
  speculations,
}: FakeHost): Pick<Api, keyof typeof suggestionContract> {
  return {
    'suggestion.watch': (_, { signal }) => suggestions.topic.follow(signal, [suggestions.state]),
    'suggestion.outcome': async ({ suggestionId, outcome }) => suggestions.outcome(suggestionId, outcome),
    'suggestion.other': async ({ suggestionId, step }) => {
      suggestions.other(suggestionId, step)
      return {}
    },
    'suggestion.list': async ({ before, limit }) => suggestionLog.list(before, limit),
    'suggestion.erase': async () => {
      suggestionLog.events = []
      speculations.events = []
      return {}
    },
    'suggestion.resume': async () => {
      suggestionLog.pauses = []
      suggestions.become(noSuggestion)
      return {}
    },
  }
}
