import { catalogueContract } from '../../shared/contract/catalogue.ts'
import { type Api, contract, sessionGroupContract } from '../../shared/contract/index.ts'
import { loreContract } from '../../shared/contract/lore.ts'
import type { ApiOf } from '../../shared/contract/method.ts'
import { createDocumentApi } from './document-api.ts'
import { createDraftApi } from './draft-api.ts'
import { createFindApi } from './find-api.ts'
import { createHostApi } from './host-api.ts'
import { createLateApi } from './late-api.ts'
import { createModelApi } from './model-api.ts'
import { createPublishingApi } from './publishing-api.ts'
import { createUnsentApi } from './unsent-api.ts'
import { createWorkApi } from './work-api.ts'

/** The contract of a host with the API that implements it. */
export type Offer = { api: Api; contract: typeof contract }

/** The services of each part of the API. `memory`, `downloads` and `sessions` are loaded at the first call to them. */
export type AppApiParts = {
  host: Parameters<typeof createHostApi>[0]
  work: Parameters<typeof createWorkApi>[0]
  publishing: Parameters<typeof createPublishingApi>[0]
  finding: Parameters<typeof createFindApi>[0]
  memory: () => Promise<ApiOf<typeof loreContract>>
  documents: Parameters<typeof createDocumentApi>[0]
  models: Parameters<typeof createModelApi>[0]
  downloads: () => Promise<ApiOf<typeof catalogueContract>>
  drafts: Parameters<typeof createDraftApi>[0]
  sessions: () => Promise<ApiOf<typeof sessionGroupContract>>
  unsent: Parameters<typeof createUnsentApi>[0]
}

/** Creates the whole API. Loaded with the first window: creating the contract's schemas is much of a start's work. */
export function createAppApi(parts: AppApiParts): Offer {
  return {
    contract,
    api: {
      ...createHostApi(parts.host),
      ...createWorkApi(parts.work),
      ...createPublishingApi(parts.publishing),
      ...createFindApi(parts.finding),
      ...createLateApi(loreContract, parts.memory),
      ...createDocumentApi(parts.documents),
      ...createModelApi(parts.models),
      ...createLateApi(catalogueContract, parts.downloads),
      ...createDraftApi(parts.drafts),
      ...createLateApi(sessionGroupContract, parts.sessions),
      ...createUnsentApi(parts.unsent),
    },
  }
}
