import type { FoundModel, FoundServer, ProbeResult } from '../../shared/domain/model/model-found.ts'
import {
  type ModelChoice,
  type ModelProfile,
  ModelRole,
  type OpenaiProfile,
} from '../../shared/domain/model/model-profile.ts'
import { type ModelStatus, noModel } from '../../shared/domain/model/model-status.ts'
import type { Sampler, SamplerPreset } from '../../shared/domain/model/sampler.ts'
import type { TemplatePack } from '../../shared/domain/model/template-pack.ts'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'
import type { Clock, Log, Random, SecretStore } from '../deps.ts'
import type { ModelClient, Priority } from './client/model-client.ts'
import type { ActiveModel } from './profiles/active-model.ts'
import { createFastModel, type FastModel } from './profiles/fast-model.ts'
import {
  addressOf,
  fallbackTemplateId,
  isSame,
  isSameClient,
  isSameModel,
  isServed,
  type KeptProfiles,
  nameOf,
  type ProfileMaking,
  profileOf,
  watchedProfiles,
  withoutFindings,
} from './profiles/model-profiles.ts'
import {
  createStatusBoard,
  isLost,
  isOfModel,
  lossOf,
  lostStatus,
  meansLost,
  readyStatus,
  startingStatus,
} from './profiles/status-board.ts'

export type ModelServiceDeps = Pick<ProfileMaking, 'templateOf' | 'readModelFile'> & {
  clock: Clock
  random: Random
  log: Log
  secrets: SecretStore
  profiles: KeptProfiles
  /** A role's profile; null: none, or the main one's for the fast role. */
  selected: { get(role: ModelRole): string | null; set(role: ModelRole, profileId: string | null): void }
  presets: { list(): SamplerPreset[]; save(preset: SamplerPreset): void; remove(presetId: string): void }
  templates: ReadonlyMap<string, TemplatePack>
  createClient(
    profile: ModelProfile,
    template: TemplatePack,
    key: () => Promise<string | undefined>,
  ): ModelClient | Promise<ModelClient>
  discover(signal: AbortSignal): Promise<FoundModel[]>
  /** Errors: `model/…`; `model/bad-response` where there is no model server. */
  identify(address: string, key: string | undefined, signal: AbortSignal): Promise<FoundServer>
  probe(client: ModelClient, sampler: Sampler, signal: AbortSignal): Promise<ProbeResult>
  languagesOf(profile: ModelProfile): Promise<readonly string[]>
}

/** Profiles, the one in use, and its state. */
export type ModelService = {
  profiles(): ModelProfile[]
  /** Yields the profiles now, then after each change. */
  watchProfiles(signal: AbortSignal): AsyncGenerator<{ profiles: ModelProfile[] }, void, void>
  /** `key`: undefined keeps the stored one, empty removes it. */
  saveProfile(profile: ModelProfile, key: string | undefined): Promise<ModelProfile>
  /** Errors: `profile/not-found`. */
  removeProfile(profileId: string): Promise<void>
  /** Selects a role's profile; null: no model for `main`, the main model for others. Errors: `profile/not-found`. */
  select(profileId: string | null, role: ModelRole): Promise<void>
  /** Makes a profile of a choice, or finds the one that it already has, and selects it. `key`: as `saveProfile`. */
  use(choice: ModelChoice, key?: string): Promise<ModelProfile>
  discover(signal: AbortSignal): Promise<FoundModel[]>
  /** Errors: as `ModelServiceDeps.identify`. */
  identify(address: string, key: string | undefined, signal: AbortSignal): Promise<FoundServer>
  probe(profileId: string, signal: AbortSignal): Promise<ProbeResult>
  /**
   * Returns a role's model, its capabilities known; the main one where the role has no other, or the same file. An
   * engine that crashed is started again, except for work in the background: it would crash with each of these.
   *
   * Errors: `model/none`.
   */
  active(signal: AbortSignal, role?: ModelRole, priority?: Priority): Promise<ActiveModel>
  /** Yields the status now, then after each change. */
  watch(signal: AbortSignal): AsyncGenerator<ModelStatus, void, void>
  status(): ModelStatus
  /** Asks the model in use for its status again, also after a failure. */
  refresh(): Promise<void>
  /** Notes how a request ended: a lost model that answered (null) is asked again, an error may mean that it is lost. */
  noteEnd(error: ErrorInfo | null): void
  presets(): SamplerPreset[]
  savePreset(preset: SamplerPreset): void
  removePreset(presetId: string): void
  templates(): { id: string; name: string }[]
  dispose(): Promise<void>
}

export function createModelService(deps: ModelServiceDeps): ModelService {
  const board = createStatusBoard(deps, recheck)
  const profiles = watchedProfiles(deps.profiles)
  const life = new AbortController()
  /** The model in use. `served`: the name that its server told last. */
  let current: { profile: ModelProfile; active: Promise<ActiveModel>; served?: string | null } | undefined
  const beside = (role: ModelRole): FastModel =>
    createFastModel({
      chosen: () => (servingRole(role) === role ? chosen(role) : undefined),
      main: () => current?.profile,
      open,
      close,
    })
  const others = { fast: beside('fast'), speculation: beside('speculation') }
  const settleOthers = async (): Promise<void> => {
    for (const other of Object.values(others)) await other.settle()
  }
  let openQuestions = 0

  function chosen(role: ModelRole): ModelProfile | undefined {
    const profileId = deps.selected.get(role)
    return profileId === null ? undefined : profiles.get(profileId)
  }

  /** Returns the role whose model serves this one: the same file in two roles is loaded once. */
  function servingRole(role: ModelRole): ModelRole {
    const [own, fast] = [chosen(role), chosen('fast')]
    return role === 'speculation' && own && fast && isSameModel(own, fast) ? 'fast' : role
  }

  function need(profileId: string): ModelProfile {
    const profile = profiles.get(profileId)
    if (profile === undefined) throw new AppError({ code: 'profile/not-found', profileId })
    return profile
  }

  async function open(profile: ModelProfile): Promise<ActiveModel> {
    const template = deps.templates.get(profile.templateId) ?? deps.templates.get(fallbackTemplateId)
    if (template === undefined) throw new Error(`no template ${fallbackTemplateId}`)
    const languages = await deps.languagesOf(profile)
    const key = () => deps.secrets.get(keyName(profile.id))
    const client = await deps.createClient(profile, template, key)
    client.watchHealth?.((problem) => {
      if (current?.profile.id !== profile.id) return
      if (problem === null) recheck()
      else noteLost(current.profile, problem.info)
    })
    return {
      profile,
      client,
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

  /** Closes the present client and opens the selected profile. */
  async function turnTo(profileId: string | null): Promise<void> {
    const left = current
    const profile = profileId === null ? undefined : profiles.get(profileId)
    current = profile === undefined ? undefined : { profile, active: open(profile) }
    if (left !== undefined) await close(left.active)
    await settleOthers()
    await refresh()
  }

  async function close(active: Promise<ActiveModel>): Promise<void> {
    await active.then(
      (model) => model.client.dispose(),
      () => undefined, // The model did not open; the caller who asked for it got the error.
    )
  }

  async function refresh(): Promise<void> {
    if (current === undefined) return board.tell(noModel)
    const { profileId, modelName } = board.now()
    const { profile } = current
    board.tell({ ...startingStatus(profile), modelName: profileId === profile.id ? modelName : null })
    await ask(current, true)
  }

  /** Asks the model for its description and publishes that, or the error, as its status. */
  async function ask(asked: NonNullable<typeof current>, isUserAsking = false): Promise<void> {
    const { profile } = asked
    openQuestions += 1
    try {
      const model = await asked.active
      if (isUserAsking) model.client.revive?.()
      const description = await model.client.describe(life.signal)
      if (current !== asked) return
      if (description.needsKey)
        throw new AppError({ code: 'model/unauthorized', address: addressOf(profile) })
      const modelName = nameOf(profile, description.modelName)
      current = { ...asked, served: description.modelName, active: Promise.resolve({ ...model, modelName }) }
      board.tell(readyStatus(profile, modelName, description, model))
      void findAbilities(asked, model.client, description.modelName)
    } catch (error) {
      if (current !== asked || life.signal.aborted) return
      board.tell(lostStatus(profile, lossOf(error, deps.log)))
    } finally {
      openQuestions -= 1
    }
  }

  /** Tests abilities that the server does not tell, once for each model; one with a new template is asked anew. */
  async function findAbilities(
    { profile }: NonNullable<typeof current>,
    client: ModelClient,
    served: string | null,
  ): Promise<void> {
    if (await guessAgain(profile, served)) return
    if (profile.backend !== 'openai') return
    const { findAbilities: find } = await import('./discovery/later-findings.ts')
    const known = () => keptOf(profile)
    await find(client, known, (found) => keep(profile, found), deps.log, life.signal)
    const status = board.now()
    const { hasTools } = client.capabilities
    if (current?.profile === profile && status.state === 'ready' && status.canCallTools !== hasTools)
      board.tell({ ...status, canCallTools: hasTools })
  }

  async function guessAgain({ id }: ModelProfile, served: string | null): Promise<boolean> {
    const { guessAgain: guess } = await import('./discovery/later-findings.ts')
    const again = { templateOf: deps.templateOf, stored: () => profiles.get(id) }
    const guessed = await guess(again, served, () => deps.secrets.get(keyName(id)))
    if (guessed === undefined || life.signal.aborted) return false
    await saveProfile(guessed, undefined)
    return true
  }

  /** Returns the profile as it is stored now; undefined where it names another model by now. */
  function keptOf(profile: OpenaiProfile): OpenaiProfile | undefined {
    const kept = profiles.get(profile.id)
    if (kept?.backend !== 'openai') return undefined
    return kept.address === profile.address && kept.model === profile.model ? kept : undefined
  }

  function keep(profile: OpenaiProfile, found: Partial<OpenaiProfile>): void {
    const kept = keptOf(profile)
    if (kept !== undefined) profiles.save({ ...kept, ...found })
  }

  /** Publishes a lost model. While it starts its own answer decides: an engine that dies is started once more. */
  function noteLost(profile: ModelProfile, error: ErrorInfo): void {
    if (board.now().state !== 'starting') board.tell(lostStatus(profile, error))
  }

  /** Asks a lost model whether it is available again; does nothing for another one. */
  function recheck(): void {
    if (isLost(board.now()) && openQuestions === 0 && current !== undefined) void ask(current)
  }

  /** Goes on with another model that the server has by now, which a request for its context window has told. */
  async function followServer(): Promise<void> {
    const asked = current
    if (asked?.served === undefined || openQuestions > 0) return
    const { servedName, isBusy } = (await asked.active).client
    if (servedName === undefined || servedName === asked.served || isBusy) return
    if (!(await guessAgain(asked.profile, servedName))) await ask(asked)
  }

  function noteEnd(error: ErrorInfo | null): void {
    if (error === null) recheck()
    if (error === null || current === undefined) return
    const { profile } = current
    if (meansLost(error, profile)) noteLost(profile, error)
    // Other failures may mean that a server is gone; asking it costs little. An engine reports its end by itself.
    if (isServed(profile) && isOfModel(error) && openQuestions === 0) void ask(current)
  }

  async function select(profileId: string | null, role: ModelRole): Promise<void> {
    if (profileId !== null) need(profileId)
    deps.selected.set(role, profileId)
    if (role === 'main') await turnTo(profileId)
    else await settleOthers()
  }

  async function saveProfile(profile: ModelProfile, key: string | undefined): Promise<ModelProfile> {
    const id = profile.id === 'new' ? deps.random.id() : profile.id
    let saved: ModelProfile = withoutFindings({ ...profile, id }, profiles.get(id))
    if (isServed(saved) && key !== undefined) {
      if (key === '') await deps.secrets.remove(keyName(id))
      else await deps.secrets.set(keyName(id), key)
      saved = { ...saved, hasKey: key !== '' }
    }
    profiles.save(saved)
    if (deps.selected.get('main') !== id) await settleOthers()
    else if (!current || key !== undefined || !isSameClient(current.profile, saved)) await turnTo(id)
    else {
      // Each request reads the changed fields anew: running requests go on, and a loaded model stays loaded.
      current = { profile: saved, active: current.active.then((model) => ({ ...model, profile: saved })) }
      await ask(current)
    }
    return saved
  }

  /** Stores findings of a test, so that abilities that a server does not tell are not tested at each start. */
  function keepFindings(profile: ModelProfile, { error, canCallTools, continuation }: ProbeResult): void {
    if (profile.backend !== 'openai' || error !== null) return
    keep(profile, { canCallTools, ...(continuation && { continuation }) })
  }

  return {
    profiles: () => profiles.list(),
    watchProfiles: (signal) => profiles.watch(signal),
    saveProfile,
    async removeProfile(profileId) {
      const profile = need(profileId)
      profiles.remove(profileId)
      if (isServed(profile)) await deps.secrets.remove(keyName(profileId))
      for (const role of ModelRole.options)
        if (deps.selected.get(role) === profileId) await select(null, role)
    },
    select,
    async use(choice, key) {
      const find = () => profiles.list().find((profile) => isSame(profile, choice))
      const samplerPresetId = deps.presets.list()[0]?.id ?? 'novel'
      const making = { ...deps, newId: deps.random.id, samplerPresetId }
      const made = find() ?? (await profileOf(choice, key, making))
      // A second click, or another window, may have made it meanwhile.
      const known = find()
      const profile = known && key === undefined ? known : await saveProfile(known ?? made, key)
      await select(profile.id, 'main')
      return profile
    },
    discover(signal) {
      recheck()
      return deps.discover(signal)
    },
    identify: deps.identify,
    async probe(profileId, signal) {
      const profile = need(profileId)
      const used = current?.profile.id === profileId ? current : undefined
      const opened = used?.active ?? open(profile)
      try {
        const { client, sampler } = await opened
        client.revive?.()
        const result = await deps.probe(client, sampler, signal)
        keepFindings(profile, result)
        if (used !== undefined) void refresh()
        return result
      } finally {
        if (used === undefined) await close(opened)
      }
    },
    async active(signal, role = 'main', priority = 'foreground') {
      const selected = deps.selected.get('main')
      if (selected !== null && current?.profile.id !== selected) await turnTo(selected)
      if (priority === 'foreground') await followServer()
      const serving = servingRole(role)
      const model = (serving !== 'main' && (await others[serving].active())) || (await current?.active)
      if (model === undefined) throw new AppError({ code: 'model/none' })
      if (priority === 'foreground') model.client.revive?.()
      await model.client.learn?.(signal)
      // Presets may have been changed since; they are small and read anew for each request.
      return { ...model, sampler: samplerOf(model.profile) }
    },
    watch(signal) {
      recheck()
      return board.watch(signal)
    },
    status: board.now,
    async refresh() {
      const selected = deps.selected.get('main')
      if (current?.profile.id === selected) await refresh()
      else await turnTo(selected)
    },
    noteEnd,
    presets: () => deps.presets.list(),
    savePreset: (preset) => deps.presets.save(preset),
    removePreset: (presetId) => deps.presets.remove(presetId),
    templates: () => [...deps.templates.values()].map(({ id, name }) => ({ id, name })),
    async dispose() {
      life.abort()
      board.end()
      profiles.end()
      for (const other of Object.values(others)) await other.close()
      if (current !== undefined) await close(current.active)
    },
  }
}

function keyName(profileId: string): string {
  return `profile-${profileId}`
}
