import { catalogueContract } from './catalogue.ts'
import { documentContract } from './document.ts'
import { draftContract } from './draft.ts'
import { findContract } from './find.ts'
import { hostContract } from './host.ts'
import { imageContract } from './image.ts'
import { loreContract } from './lore.ts'
import type { ApiOf, ClientOf } from './method.ts'
import { modelContract } from './model.ts'
import { publishingContract } from './publishing.ts'
import { referenceContract } from './reference.ts'
import { sessionContract } from './session.ts'
import { speculationContract } from './speculation.ts'
import { suggestionContract } from './suggestion.ts'
import { toolServerContract } from './tool-server.ts'
import { unsentContract } from './unsent.ts'
import { workContract } from './work.ts'

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
