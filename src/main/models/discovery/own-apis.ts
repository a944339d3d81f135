import type { ServedChoice } from '../../../shared/domain/model/model-profile.ts'
import type { OwnApi } from '../client/own-api.ts'
import { koboldServer } from '../kobold/kobold-server.ts'

/** Every backend whose servers are asked by an API of their own, not by OpenAI's. */
export const ownApis: Readonly<Record<Exclude<ServedChoice['backend'], 'openai'>, OwnApi>> = {
  koboldcpp: koboldServer,
}
