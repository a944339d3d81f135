import type { Api } from '../../../src/shared/contract/index.ts'
import type { suggestionContract } from '../../../src/shared/contract/suggestion.ts'
import { noSuggestion } from '../../../src/shared/domain/suggestion.ts'

/** A host that never suggests anything. */
export function suggestionApi(): Pick<Api, keyof typeof suggestionContract> {
  return {
    async *'suggestion.watch'(_, { signal }) {
      yield noSuggestion
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
    'suggestion.outcome': async () => ({ isFirst: false }),
    'suggestion.list': async () => ({
      events: [],
      hasMore: false,
      summary: {
        offered: 0,
        accepted: 0,
        ignored: 0,
        reasons: {},
        promptTokens: 0,
        reusedTokens: 0,
        completionTokens: 0,
        similarity: null,
      },
    }),
    'suggestion.erase': async () => ({}),
    'suggestion.resume': async () => ({}),
  }
}
