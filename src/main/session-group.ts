import type { Api, sessionGroupContract } from '../shared/contract/index.ts'
import { createImageApi } from './api/image-api.ts'
import { createReferenceApi } from './api/reference-api.ts'
import { createSessionApi } from './api/session-api.ts'
import { createSpeculationApi } from './api/speculation-api.ts'
import { createSuggestionApi } from './api/suggestion-api.ts'
import { createSessionParts, type SessionPartsInput } from './session-parts.ts'

/** What a window can ask about sessions, and how they end. */
export type SessionGroup = {
  api: Pick<Api, keyof typeof sessionGroupContract>
  /** Removes images that nothing names any more. */
  removeLeftovers(): Promise<void>
  close(): Promise<void>
}

/** Errors: a broken installation throws. */
export async function createSessionGroup(input: SessionPartsInput): Promise<SessionGroup> {
  const { store, works } = input
  const parts = await createSessionParts(input)
  return {
    api: {
      ...createSessionApi({
        ...parts,
        rootOf: works.rootOf,
        audit: ({ sessionId, ...page }) => store.audit.list(sessionId, page),
      }),
      ...createSuggestionApi({
        suggestions: parts.suggestions,
        events: store.suggestions,
        speculations: store.speculations,
      }),
      ...createSpeculationApi({ ...parts, events: store.speculations }),
      'toolServer.watch': (_, { signal }) => parts.servers.watch(signal),
      'toolServer.proposed': ({ workId }) => parts.proposedServers(workId),
      'toolServer.start': async ({ name }) => {
        await parts.servers.start(name)
        return {}
      },
      'toolServer.setKey': async ({ name, key, value }) => {
        await parts.servers.setKey(name, key, value)
        return {}
      },
      ...createImageApi(parts.images),
      ...createReferenceApi({ completion: parts.completion, rootOf: works.rootOf }),
    },
    removeLeftovers: () => parts.images.sweep(),
    close: parts.close,
  }
}
