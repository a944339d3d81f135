import { z } from 'zod'
import { CatalogueStatus, StarterStatus } from '../domain/model/model-catalogue.ts'
import { FoundModel, FoundServer, ProbeResult } from '../domain/model/model-found.ts'
import { ModelChoice, ModelProfile, ModelRole, ServerAddress } from '../domain/model/model-profile.ts'
import { ModelStatus } from '../domain/model/model-status.ts'
import { SamplerPreset } from '../domain/model/sampler.ts'
import { call, stream } from './method.ts'

const key = z.string().max(4096).optional()

export const modelContract = {
  'profile.list': call(z.object({}), z.object({ profiles: z.array(ModelProfile) })),
  /** All profiles, again after each change, whichever window made it. */
  'profile.watch': stream(z.object({}), z.object({ profiles: z.array(ModelProfile) })),
  /** Keeps a profile; `key` goes to the secret store and never comes back (empty: removed). */
  'profile.save': call(z.object({ profile: ModelProfile, key }), z.object({ profile: ModelProfile })),
  'profile.remove': call(z.object({ profileId: z.string() }), z.object({})),
  /** Sets the profile that serves a role; null: none, so that the main model serves the fast role, too. */
  'profile.select': call(
    z.object({ profileId: z.string().nullable(), role: ModelRole.default('main') }),
    z.object({}),
  ),

  /** Servers on this machine and GGUF files in the known folders; asks by GET only. */
  'model.discover': call(z.object({}), z.object({ found: z.array(FoundModel) })),
  /** Finds out what serves models at an address, by GET only. */
  'model.identify': call(z.object({ address: ServerAddress, key }), z.object({ found: FoundServer })),
  /** Makes a profile of a choice, or finds the one that it already has, and selects it. `key`: as in `profile.save`. */
  'model.use': call(ModelChoice.and(z.object({ key })), z.object({ profile: ModelProfile })),
  'model.watch': stream(z.object({}), ModelStatus),
  /** Asks the model for its name, context window and a few tokens. */
  'model.probe': call(z.object({ profileId: z.string() }), ProbeResult),

  'sampler.list': call(z.object({}), z.object({ presets: z.array(SamplerPreset) })),
  'sampler.save': call(z.object({ preset: SamplerPreset }), z.object({ preset: SamplerPreset })),
  'sampler.remove': call(z.object({ presetId: z.string() }), z.object({})),
  'template.list': call(
    z.object({}),
    z.object({ templates: z.array(z.object({ id: z.string(), name: z.string() })) }),
  ),

  'starter.watch': stream(z.object({}), StarterStatus),
  'starter.terms': call(
    z.object({ termsId: z.string(), language: z.enum(['ja', 'en']) }),
    z.object({ text: z.string() }),
  ),
  /** Goes online, at the user's request. */
  'starter.fetch': call(z.object({ starterId: z.string(), areTermsAccepted: z.boolean() }), z.object({})),
  'starter.cancel': call(z.object({}), z.object({})),
}

const named = z.object({ modelId: z.string() })

/** Models that can be downloaded. Nothing but `download.start` goes online. */
export const catalogueContract = {
  'catalogue.watch': stream(z.object({}), CatalogueStatus),
  /** Begins or resumes the one download. Errors: `download/busy`, `download/terms`; later ones are in the status. */
  'download.start': call(named.extend({ areTermsAccepted: z.boolean() }), z.object({})),
  /** Stops a download and keeps the bytes that arrived. */
  'download.pause': call(named, z.object({})),
  /** Stops a download and removes the bytes that arrived. */
  'download.cancel': call(named, z.object({})),
  /** Removes the whole file, and the profiles that use it. */
  'download.remove': call(named, z.object({})),
}
