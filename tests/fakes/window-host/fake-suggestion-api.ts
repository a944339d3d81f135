import type { Api } from '../../../src/shared/contract/index.ts'
import type { suggestionContract } from '../../../src/shared/contract/suggestion.ts'
import { noSuggestion } from '../../../src/shared/domain/suggestion.ts'
import type { FakeHost } from './fake-host.ts'

/** A host that never suggests anything. */
export function suggestionApi({ suggestionLog }: FakeHost): Pick<Api, keyof typeof suggestionContract> {
  return {
    async *'suggestion.watch'(_, { signal }) {
      yield noSuggestion
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
    'suggestion.outcome': async () => ({ isFirst: false }),
    'suggestion.list': async ({ before, limit }) => suggestionLog.list(before, limit),
    'suggestion.erase': async () => {
      suggestionLog.events = []
      return {}
    },
    'suggestion.resume': async () => {
      suggestionLog.pauses = []
      return {}
    },
  }
}
