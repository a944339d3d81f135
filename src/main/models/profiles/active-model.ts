import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import type { Sampler } from '../../../shared/domain/model/sampler.ts'
import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import type { ModelClient } from '../client/model-client.ts'

/** The model of a role, with the settings for requests. */
export type ActiveModel = {
  profile: ModelProfile
  client: ModelClient
  template: TemplatePack
  sampler: Sampler
  /** As the server or the file names it, else the profile's name. */
  modelName: string
  isDemo: boolean
  /** BCP 47 tags; empty: not known. */
  languages: readonly string[]
}
