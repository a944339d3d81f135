import {
  backendNames,
  defaultTimeouts,
  type ModelChoice,
  type ModelProfile,
  type ServedChoice,
  type ServedProfile,
} from '../../../shared/domain/model/model-profile.ts'
import { shownModelName } from '../../../shared/text/model-name.ts'
import { createBroadcast } from '../../platform/broadcast.ts'
import { isDeepStrictEqual } from '../../platform/node/late-node.ts'

/** The template of a model without evidence of how it was trained. */
export const fallbackTemplateId = 'mistral'

const longestName = 200

/** The services and defaults for making a new profile. */
export type ProfileMaking = {
  newId(): string
  samplerPresetId: string
  /** Returns facts about a GGUF file before it is loaded. Errors: `model/bad-file`, `file/not-found`. */
  readModelFile(file: string): Promise<{ name: string; templateId: string; languages: readonly string[] }>
  /** Guesses the template that a server's model was trained with; null where that fails. Never rejects. */
  templateOf(choice: ServedChoice, key: string | undefined): Promise<string | null>
}

/** True where a profile already is for the choice. A server's flavour may have been found out since. */
export function isSame(profile: ModelProfile, choice: ModelChoice): boolean {
  const fields: Record<string, unknown> = profile
  return Object.entries(choice).every(([field, value]) => field === 'flavour' || fields[field] === value)
}

/**
 * Makes a new profile of a choice. `key`: the API key for requests to its server.
 *
 * Errors: `model/bad-file`, `file/not-found`.
 */
export async function profileOf(
  choice: ModelChoice,
  key: string | undefined,
  deps: ProfileMaking,
): Promise<ModelProfile> {
  const common = {
    id: deps.newId(),
    templateId: fallbackTemplateId,
    samplerPresetId: deps.samplerPresetId,
    timeouts: defaultTimeouts,
    isTemplateGuessed: true,
  }
  switch (choice.backend) {
    case 'embedded': {
      const { name, templateId } = await deps.readModelFile(choice.file)
      return { ...common, ...choice, name, templateId }
    }
    case 'demo':
      return { ...common, ...choice, name: 'Demo', templateId: 'plain', isTemplateGuessed: false }
    default: {
      const model = 'model' in choice ? shownModelName(choice.model) : backendNames[choice.backend]
      const name = `${model} (${new URL(choice.address).host})`.slice(0, longestName)
      const templateId = (await deps.templateOf(choice, key)) ?? fallbackTemplateId
      return { ...common, ...choice, name, templateId, hasKey: false }
    }
  }
}

/** Returns a profile without findings about a server or model that it no longer names. */
export function withoutFindings(profile: ModelProfile, before: ModelProfile | undefined): ModelProfile {
  if (profile.backend !== 'openai' || before?.backend !== 'openai') return profile
  const { flavour, canCallTools, continuation, ...rest } = profile
  const isSameServer = profile.address === before.address
  const isSameModel = isSameServer && profile.model === before.model
  return {
    ...rest,
    ...(isSameServer && flavour && { flavour }),
    ...(isSameModel && canCallTools !== undefined && { canCallTools }),
    ...(isSameModel && continuation && { continuation }),
  }
}

/** True where a model is used over the network, so that it may come and go by itself. */
export function isServed(profile: ModelProfile): profile is ServedProfile {
  return 'address' in profile
}

/** Returns the name to show: a server may have changed its model; a file's profile keeps its name. */
export function nameOf(profile: ModelProfile, served: string | null): string {
  return isServed(profile) && served !== null ? shownModelName(served) : profile.name
}

/** Returns the address of a server; the name of any other model. */
export function addressOf(profile: ModelProfile): string {
  return isServed(profile) ? profile.address : profile.name
}

/** True where both use the same file, which would take its memory twice, or are the same profile. */
export function isSameModel(one: ModelProfile, other: ModelProfile): boolean {
  if (one.backend === 'embedded' && other.backend === 'embedded') return one.file === other.file
  return one.id === other.id
}

/** Fields that a client does not use, and those that it has found out itself. */
const besideClient: ReadonlySet<string> = new Set([
  'name',
  'samplerPresetId',
  'toolTemperature',
  'isTemplateGuessed',
  'templateGuessedFor',
  'canCallTools',
  'continuation',
])

/** True where a client of one profile can serve the other one, too. */
export function isSameClient(one: ModelProfile, other: ModelProfile): boolean {
  const used = (profile: ModelProfile) =>
    Object.fromEntries(Object.entries(profile).filter(([field]) => !besideClient.has(field)))
  return isDeepStrictEqual(used(one), used(other))
}

/** The store of profiles. */
export type KeptProfiles = {
  list(): ModelProfile[]
  get(profileId: string): ModelProfile | undefined
  save(profile: ModelProfile): void
  remove(profileId: string): void
}

/** Adds notifications of changes to a store of profiles, so that each window has the present list. */
export function watchedProfiles(kept: KeptProfiles) {
  const changed = createBroadcast<true>()
  return {
    list: () => kept.list(),
    get: (profileId: string) => kept.get(profileId),
    save(profile: ModelProfile) {
      kept.save(profile)
      changed.send(true)
    },
    remove(profileId: string) {
      kept.remove(profileId)
      changed.send(true)
    },
    /** Yields all profiles now, and again after each change by anyone. */
    async *watch(signal: AbortSignal): AsyncGenerator<{ profiles: ModelProfile[] }, void, void> {
      const changes = changed.subscribe(signal)
      yield { profiles: kept.list() }
      for await (const _change of changes) yield { profiles: kept.list() }
    },
    end: () => changed.end(),
  }
}
