import type { FoundModel, ProbeResult } from '../../shared/domain/model-found.ts'
import { defaultTimeouts, type ModelProfile } from '../../shared/domain/model-profile.ts'
import { type ModelStatus, noModel } from '../../shared/domain/model-status.ts'
import type { Sampler, SamplerPreset } from '../../shared/domain/sampler.ts'
import type { TemplatePack } from '../../shared/domain/template-pack.ts'
import { AppError, type ErrorInfo, isAppError } from '../../shared/errors.ts'
import type { Log, Random, SecretStore } from '../deps.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import type { ActiveModel } from './active-model.ts'
import type { ModelClient } from './model-client.ts'

/** A way to a model that needs no form: what discovery found, or a file that the user picked. */
export type ModelChoice =
  | { backend: 'koboldcpp'; address: string }
  | { backend: 'embedded'; file: string }
  | { backend: 'demo'; language: 'ja' | 'en' }

/** What is known of a GGUF file before it is loaded. */
export type ModelFileFacts = { name: string; templateId: string; languages: readonly string[] }

export type ModelServiceDeps = {
  random: Random
  log: Log
  secrets: SecretStore
  profiles: {
    list(): ModelProfile[]
    get(profileId: string): ModelProfile | undefined
    save(profile: ModelProfile): void
    remove(profileId: string): void
  }
  selected: { get(): string | null; set(profileId: string | null): void }
  presets: { list(): SamplerPreset[]; save(preset: SamplerPreset): void; remove(presetId: string): void }
  templates: ReadonlyMap<string, TemplatePack>
  createClient(
    profile: ModelProfile,
    template: TemplatePack,
    key: () => Promise<string | undefined>,
  ): ModelClient
  discover(signal: AbortSignal): Promise<FoundModel[]>
  probe(client: ModelClient, sampler: Sampler, signal: AbortSignal): Promise<ProbeResult>
  /** Errors: `model/bad-file`, `file/not-found`. */
  readModelFile(file: string): Promise<ModelFileFacts>
  languagesOf(profile: ModelProfile): Promise<readonly string[]>
}

/** Profiles, the one in use, and its state. */
export type ModelService = {
  profiles(): ModelProfile[]
  /** `key`: undefined keeps the stored one, empty removes it. */
  saveProfile(profile: ModelProfile, key: string | undefined): Promise<ModelProfile>
  /** Errors: `profile/not-found`. */
  removeProfile(profileId: string): Promise<void>
  /** Errors: `profile/not-found`. */
  select(profileId: string): Promise<void>
  /** Makes a profile of a choice, or finds the one that it already has, and selects it. */
  use(choice: ModelChoice): Promise<ModelProfile>
  discover(signal: AbortSignal): Promise<FoundModel[]>
  probe(profileId: string, signal: AbortSignal): Promise<ProbeResult>
  /** Errors: `model/none`. */
  active(signal: AbortSignal): Promise<ActiveModel>
  /** The status now, then after each change. */
  watch(signal: AbortSignal): AsyncGenerator<ModelStatus, void, void>
  status(): ModelStatus
  /** Asks the model in use again how it is; after a failure, too. */
  refresh(): Promise<void>
  presets(): SamplerPreset[]
  savePreset(preset: SamplerPreset): void
  removePreset(presetId: string): void
  templates(): { id: string; name: string }[]
  dispose(): Promise<void>
}

const fallbackTemplateId = 'mistral'

export function createModelService(deps: ModelServiceDeps): ModelService {
  const changes = createBroadcast<ModelStatus>()
  const life = new AbortController()
  let status: ModelStatus = noModel
  let current: { profile: ModelProfile; active: Promise<ActiveModel> } | undefined

  function tell(next: ModelStatus): void {
    status = next
    changes.send(next)
  }

  function need(profileId: string): ModelProfile {
    const profile = deps.profiles.get(profileId)
    if (profile === undefined) throw new AppError({ code: 'profile/not-found', profileId })
    return profile
  }

  async function open(profile: ModelProfile): Promise<ActiveModel> {
    const template = deps.templates.get(profile.templateId) ?? deps.templates.get(fallbackTemplateId)
    if (template === undefined) throw new Error(`no template ${fallbackTemplateId}`)
    const languages = await deps.languagesOf(profile)
    const key = () => deps.secrets.get(keyName(profile.id))
    return {
      profile,
      client: deps.createClient(profile, template, key),
      template,
      sampler: samplerOf(profile),
      modelName: profile.name,
      isDemo: profile.backend === 'demo',
      languages,
    }
  }

  function samplerOf(profile: ModelProfile): Sampler {
    const presets = deps.presets.list()
    const preset = presets.find(({ id }) => id === profile.samplerPresetId) ?? presets[0]
    if (preset === undefined) throw new Error('no sampler presets')
    return preset.sampler
  }

  /** Lets the present client go and turns to the selected profile. */
  async function turnTo(profileId: string | null): Promise<void> {
    const left = current
    const profile = profileId === null ? undefined : deps.profiles.get(profileId)
    current = profile === undefined ? undefined : { profile, active: open(profile) }
    if (left !== undefined) await close(left.active)
    await refresh()
  }

  async function close(active: Promise<ActiveModel>): Promise<void> {
    await active.then(
      (model) => model.client.dispose(),
      () => undefined, // It never opened; whoever asked for it has heard why.
    )
  }

  async function refresh(): Promise<void> {
    const asked = current
    if (asked === undefined) return tell(noModel)
    tell({
      ...startingStatus(asked.profile),
      modelName: status.profileId === asked.profile.id ? status.modelName : null,
    })
    try {
      const { client, languages } = await asked.active
      const description = await client.describe(life.signal)
      if (current !== asked) return
      if (description.needsKey) {
        throw new AppError({ code: 'model/unauthorized', address: addressOf(asked.profile) })
      }
      const modelName = nameOf(asked.profile, description.modelName)
      current = { ...asked, active: asked.active.then((active) => ({ ...active, modelName })) }
      tell({
        ...startingStatus(asked.profile),
        state: 'ready',
        modelName,
        contextTokens: description.context?.tokens ?? null,
        contextSource: description.context?.source ?? null,
        isEstimateOnly: client.countTokens === null,
        languages: [...languages],
      })
    } catch (error) {
      if (current !== asked || life.signal.aborted) return
      tell({
        ...startingStatus(asked.profile),
        state: isAppError(error, 'model/engine-crashed') ? 'crashed' : 'unreachable',
        error: infoOf(error, deps.log),
      })
    }
  }

  async function select(profileId: string): Promise<void> {
    need(profileId)
    deps.selected.set(profileId)
    await turnTo(profileId)
  }

  async function saveProfile(profile: ModelProfile, key: string | undefined): Promise<ModelProfile> {
    const id = profile.id === 'new' ? deps.random.id() : profile.id
    let saved: ModelProfile = { ...profile, id }
    if (saved.backend === 'koboldcpp' && key !== undefined) {
      if (key === '') await deps.secrets.remove(keyName(id))
      else await deps.secrets.set(keyName(id), key)
      saved = { ...saved, hasKey: key !== '' }
    }
    deps.profiles.save(saved)
    if (deps.selected.get() === id) await turnTo(id)
    return saved
  }

  return {
    profiles: () => deps.profiles.list(),
    saveProfile,
    async removeProfile(profileId) {
      const profile = need(profileId)
      deps.profiles.remove(profileId)
      if (profile.backend === 'koboldcpp') await deps.secrets.remove(keyName(profileId))
      if (deps.selected.get() !== profileId) return
      deps.selected.set(null)
      await turnTo(null)
    },
    select,
    async use(choice) {
      const known = deps.profiles.list().find((profile) => isSame(profile, choice))
      const profile = known ?? (await saveProfile(await profileOf(choice, deps), undefined))
      await select(profile.id)
      return profile
    },
    discover: deps.discover,
    async probe(profileId, signal) {
      const profile = need(profileId)
      if (current?.profile.id === profileId) {
        const { client, sampler } = await current.active
        const result = await deps.probe(client, sampler, signal)
        void refresh()
        return result
      }
      const opened = open(profile)
      try {
        const { client, sampler } = await opened
        return await deps.probe(client, sampler, signal)
      } finally {
        await close(opened)
      }
    },
    async active() {
      const selected = deps.selected.get()
      if (selected !== null && current?.profile.id !== selected) await turnTo(selected)
      if (current === undefined) throw new AppError({ code: 'model/none' })
      const model = await current.active
      // Presets may have been changed since; they are small and read anew for each request.
      return { ...model, sampler: samplerOf(model.profile) }
    },
    async *watch(signal) {
      const later = changes.subscribe(signal)
      yield status
      yield* later
    },
    status: () => status,
    async refresh() {
      const selected = deps.selected.get()
      if (current?.profile.id === selected) await refresh()
      else await turnTo(selected)
    },
    presets: () => deps.presets.list(),
    savePreset: (preset) => deps.presets.save(preset),
    removePreset: (presetId) => deps.presets.remove(presetId),
    templates: () => [...deps.templates.values()].map(({ id, name }) => ({ id, name })),
    async dispose() {
      life.abort()
      changes.end()
      if (current !== undefined) await close(current.active)
    },
  }
}

function startingStatus(profile: ModelProfile): ModelStatus {
  return {
    ...noModel,
    state: 'starting',
    profileId: profile.id,
    profileName: profile.name,
    backend: profile.backend,
    isDemo: profile.backend === 'demo',
  }
}

/** A file's profile was named when it was made, or by the user; a server may have changed its model. */
function nameOf(profile: ModelProfile, served: string | null): string {
  return profile.backend === 'koboldcpp' && served !== null ? served : profile.name
}

function keyName(profileId: string): string {
  return `profile-${profileId}`
}

function addressOf(profile: ModelProfile): string {
  return profile.backend === 'koboldcpp' ? profile.address : profile.name
}

function isSame(profile: ModelProfile, choice: ModelChoice): boolean {
  if (profile.backend === 'koboldcpp')
    return choice.backend === 'koboldcpp' && profile.address === choice.address
  if (profile.backend === 'embedded') return choice.backend === 'embedded' && profile.file === choice.file
  return choice.backend === 'demo' && profile.language === choice.language
}

async function profileOf(choice: ModelChoice, deps: ModelServiceDeps): Promise<ModelProfile> {
  const common = {
    id: deps.random.id(),
    templateId: fallbackTemplateId,
    samplerPresetId: deps.presets.list()[0]?.id ?? 'novel',
    timeouts: defaultTimeouts,
  }
  switch (choice.backend) {
    case 'koboldcpp':
      return { ...common, ...choice, name: `KoboldCpp (${new URL(choice.address).host})`, hasKey: false }
    case 'embedded': {
      const { name, templateId } = await deps.readModelFile(choice.file)
      return { ...common, ...choice, name, templateId }
    }
    case 'demo':
      return { ...common, ...choice, name: 'Demo', templateId: 'plain' }
  }
}

function infoOf(error: unknown, log: Log): ErrorInfo {
  return error instanceof AppError
    ? error.info
    : { code: 'internal/bug', logId: log.bug(error, 'model.describe') }
}
