import type { ServedChoice } from '../../../shared/domain/model/model-profile.ts'
import type { OwnApi } from '../client/own-api.ts'

type OwnApiRow = {
  /** The port that it documents; null where it has none, or another server's, so that it is not looked for. */
  usualPort: number | null
  /** `owned_by` in its list of models, where it has OpenAI's API as well. */
  owner?: string
  /** Loads its code when the first server of its kind is asked. */
  load(): Promise<OwnApi>
}

/** Every backend whose servers are asked by an API of their own, not by OpenAI's. */
export const ownApis: Readonly<Record<Exclude<ServedChoice['backend'], 'openai'>, OwnApiRow>> = {
  koboldcpp: {
    usualPort: 5001,
    // Older versions have no list of models.
    owner: 'koboldcpp',
    load: async () => (await import('../kobold/kobold-server.ts')).koboldServer,
  },
}
