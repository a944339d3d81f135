import { documentContract } from './document.ts'
import { draftContract } from './draft.ts'
import { hostContract, toolServerContract } from './host.ts'
import { loreContract } from './lore.ts'
import { imageContract, referenceContract, unsentContract } from './message.ts'
import type { ApiOf, ClientOf } from './method.ts'
import { catalogueContract, modelContract } from './model.ts'
import { sessionContract } from './session.ts'
import { speculationContract, suggestionContract } from './suggestion.ts'
import { findContract, publishingContract, workContract } from './work.ts'

/** The methods for sessions and what belongs to them. */
export const sessionGroupContract = {
  ...sessionContract,
  ...suggestionContract,
  ...speculationContract,
  ...referenceContract,
  ...imageContract,
  ...toolServerContract,
}

/** Everything that a window can ask of its host. */
export const contract = {
  ...hostContract,
  ...workContract,
  ...publishingContract,
  ...findContract,
  ...loreContract,
  ...documentContract,
  ...modelContract,
  ...catalogueContract,
  ...draftContract,
  ...sessionGroupContract,
  ...unsentContract,
}

/** The interface that main implements. */
export type Api = ApiOf<typeof contract>
/** The interface that a window calls. */
export type Client = ClientOf<typeof contract>
