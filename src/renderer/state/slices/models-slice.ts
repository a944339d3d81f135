import type { FoundModel, ProbeResult } from '../../../shared/domain/model/model-found.ts'
import type { ModelChoice, ModelProfile, ModelRole } from '../../../shared/domain/model/model-profile.ts'
import { type ModelStatus, noModel } from '../../../shared/domain/model/model-status.ts'
import type { SamplerPreset } from '../../../shared/domain/model/sampler.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { isMessageKey, type Translate } from '../../../shared/i18n/translate.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

/** Returns a preset's name: the user's own, or the built-in one's in the interface's language. */
export function presetName(t: Translate, preset: SamplerPreset): string {
  const key = `sampler.${preset.id}`
  return preset.name ?? (isMessageKey(key) ? t(key) : preset.id)
}

/** Returns a template's name: that of its model family, or the interface's word for none. */
export function templateName(t: Translate, { id, name }: (typeof initial)['templates'][number]): string {
  return id === 'plain' ? t('models.template.plain') : name
}

const initial = {
  status: noModel as ModelStatus,
  isStatusKnown: false,
  profiles: [] as ModelProfile[],
  presets: [] as SamplerPreset[],
  templates: [] as { id: string; name: string }[],
  /** The models that were found on this machine; null until the first search. */
  found: null as FoundModel[] | null,
  isDiscovering: false,
  /** Results of "test the connection", by profile; null while it runs. */
  probes: {} as Record<string, ProbeResult | null>,
  /** Why the last choice failed; shown where it was made. */
  error: null as ErrorInfo | null,
}

export function createModelsSlice(context: SliceContext) {
  const { client, get, patch, follow, tell } = context

  const attempt = async <T>(task: () => Promise<T>): Promise<T | null> => {
    patch('models', { error: null })
    try {
      return await task()
    } catch (error) {
      patch('models', { error: infoOf(error) })
      return null
    }
  }
  const lookIn = async (change: (folders: string[]) => string[]) => {
    await get().settings.update(({ ggufFolders }) => ({ ggufFolders: change(ggufFolders) }))
    await get().models.discover()
  }
  /** True while discovery was requested and not answered: a lost connection gives no answer. */
  let needsDiscovery = false
  const loadPresets = async () => patch('models', await client['sampler.list']({}))
  const presetOfWork = () => get().workSettings.value.samplerPresetId
  const replaceOfModel = async (presetId: string, nextId: string | undefined) => {
    const { profiles, status } = get().models
    const profile = profiles.find(({ id }) => id === status.profileId)
    if (profile?.samplerPresetId !== presetId || nextId === undefined) return
    await get().models.saveProfile({ ...profile, samplerPresetId: nextId })
  }

  return {
    ...initial,

    start() {
      follow(
        (signal) => client['profile.watch']({}, { signal }),
        ({ profiles }) => patch('models', { profiles }),
        (error) => patch('models', { error: infoOf(error) }),
      )
      follow(
        (signal) => client['model.watch']({}, { signal }),
        (status) => {
          const before = get().models.status
          patch('models', { status, isStatusKnown: true })
          if (before.state !== status.state || before.profileId !== status.profileId)
            get().preview.invalidate()
        },
        tell,
      )
    },
    async load() {
      if (needsDiscovery && !get().models.isDiscovering) void get().models.discover()
      await attempt(() =>
        Promise.all([
          loadPresets(),
          client['template.list']({}).then(({ templates }) => patch('models', { templates })),
        ]),
      )
    },
    async discover() {
      patch('models', { isDiscovering: true })
      needsDiscovery = true
      const answer = await attempt(() => client['model.discover']({}))
      needsDiscovery = answer === null && get().models.error?.code === 'rpc/closed'
      patch('models', { isDiscovering: false, found: answer?.found ?? get().models.found ?? [] })
    },
    async addFolder(path: string) {
      const { ggufFolders } = get().settings.value
      if (!ggufFolders.includes(path))
        await lookIn((folders) => [...folders.filter((folder) => folder !== path), path])
    },
    removeFolder: (path: string) => lookIn((folders) => folders.filter((folder) => folder !== path)),
    async use(choice: ModelChoice & { key?: string }) {
      const answer = await attempt(() => client['model.use'](choice))
      return answer?.profile ?? null
    },
    /** Uses a GGUF file. `isTold`: a failure is shown as a toast, for it has no other place. */
    async openFile(path: string, options: { isTold: boolean } = { isTold: false }) {
      const profile = await get().models.use({ backend: 'embedded', file: path })
      if (profile !== null) {
        get().ui.toast({ key: 'models.toast.inUse', values: { name: profile.name } })
        return true
      }
      const { error } = get().models
      if (options.isTold && error !== null) get().ui.toastError(error)
      return false
    },
    async saveProfile(profile: ModelProfile, key?: string) {
      const answer = await attempt(() =>
        client['profile.save']({ profile, ...(key !== undefined && { key }) }),
      )
      const probes = { ...get().models.probes }
      delete probes[profile.id]
      patch('models', { probes })
      return answer !== null
    },
    async removeProfile(profileId: string) {
      await attempt(() => client['profile.remove']({ profileId }))
    },
    /** Finds out what serves models at an address; null where nothing does, with the reason in `error`. */
    async identify(address: string, key?: string) {
      const answer = await attempt(() => client['model.identify']({ address, ...(key && { key }) }))
      return answer?.found ?? null
    },
    /** Null: the main model serves the fast role, too. */
    async selectProfile(profileId: string | null, role: ModelRole = 'main') {
      await attempt(() => client['profile.select']({ profileId, role }))
    },
    async probe(profileId: string) {
      patch('models', { probes: { ...get().models.probes, [profileId]: null } })
      const result = await attempt(() => client['model.probe']({ profileId }))
      const probes = { ...get().models.probes }
      if (result) probes[profileId] = result
      else delete probes[profileId]
      patch('models', { probes })
    },
    /** Asks whether keys are encrypted at rest; null where the system's key store does not say. */
    async askKeyStore() {
      const answer = await attempt(() => client['host.keyStore']({}))
      return answer?.isEncrypted ?? null
    },
    async savePreset(preset: SamplerPreset) {
      const answer = await attempt(() => client['sampler.save']({ preset }))
      if (answer) await attempt(loadPresets)
      return answer?.preset ?? null
    },
    /** Chooses a copy of a preset where the preset is in use: for the open work, else for the model. */
    async chooseCopy(presetId: string, copyId: string) {
      if (presetOfWork() === presetId) await get().workSettings.update({ samplerPresetId: copyId })
      else await replaceOfModel(presetId, copyId)
    },
    /** Removes a preset: works that used it follow their model again, models get the first built-in one. */
    async removePreset(presetId: string) {
      const isRemoved = await attempt(async () => {
        await client['sampler.remove']({ presetId })
        await loadPresets()
        return true
      })
      if (!isRemoved) return
      if (presetOfWork() === presetId) await get().workSettings.update({ samplerPresetId: null })
      await replaceOfModel(presetId, get().models.presets.find(({ isBuiltIn }) => isBuiltIn)?.id)
    },
  }
}
