import type { Api } from '../../shared/contract/index.ts'
import type { modelContract } from '../../shared/contract/model.ts'
import type { ModelService } from '../models/model-service.ts'
import { fromHome } from '../platform/files/folder-listing.ts'
import { needAbsolute } from '../platform/files/real-path.ts'
import type { StarterService } from '../starter/starter-service.ts'
import { done } from './done.ts'

/** Models, their profiles and samplers, and the first model that can be fetched. */
export function createModelApi(parts: {
  models: ModelService
  starter: StarterService
}): Pick<Api, keyof typeof modelContract> {
  const { models, starter } = parts
  return {
    'profile.list': async () => ({ profiles: models.profiles() }),
    'profile.watch': (_input, { signal }) => models.watchProfiles(signal),
    'profile.save': async ({ profile, key }) => ({ profile: await models.saveProfile(profile, key) }),
    'profile.remove': done(({ profileId }) => models.removeProfile(profileId)),
    'profile.select': done(({ profileId, role }) => models.select(profileId, role)),
    'model.discover': async (_input, { signal }) => ({ found: await models.discover(signal) }),
    'model.identify': async ({ address, key }, { signal }) => ({
      found: await models.identify(address, key, signal),
    }),
    'model.use': async (input) => {
      const { key, ...choice } = input
      if (choice.backend === 'embedded') choice.file = needAbsolute(fromHome(choice.file))
      return { profile: await models.use(choice, key) }
    },
    'model.watch': (_input, { signal }) => models.watch(signal),
    'model.probe': ({ profileId }, { signal }) => models.probe(profileId, signal),
    'sampler.list': async () => ({ presets: models.presets() }),
    'sampler.save': async ({ preset }) => {
      models.savePreset(preset)
      return { preset }
    },
    'sampler.remove': done(({ presetId }) => models.removePreset(presetId)),
    'template.list': async () => ({ templates: models.templates() }),
    'starter.watch': (_input, { signal }) => starter.watch(signal),
    'starter.terms': async ({ termsId, language }) => ({ text: await starter.terms(termsId, language) }),
    'starter.fetch': done((request) => starter.fetch(request)),
    'starter.cancel': done(() => starter.cancel()),
  }
}
