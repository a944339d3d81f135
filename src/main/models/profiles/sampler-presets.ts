import { z } from 'zod'
import { Sampler, SamplerPreset } from '../../../shared/domain/model/sampler.ts'
import { AppError } from '../../../shared/errors.ts'
import { readSmallText } from '../../platform/files/read-regular-file.ts'

/** Data: `resources/samplers.json`. */
const BuiltIn = z.object({
  presets: z.array(z.object({ id: z.string().min(1), sampler: Sampler })).min(1),
})

const settingKey = 'sampler-presets'

/** The store of the user's own presets: JSON by name. */
export type PresetStore = { get(key: string): unknown; set(key: string, value: unknown): void }

/** Loads the built-in presets. Errors of `save` and `remove`: `model/bad-request` for the id of one of these. */
export async function loadSamplerPresets(file: string, store: PresetStore) {
  const { presets } = BuiltIn.parse(JSON.parse(await readSmallText(file)))
  const builtIn: SamplerPreset[] = presets.map((preset) => ({ ...preset, isBuiltIn: true }))
  // Presets that another version wrote and this one cannot read are ignored.
  const own = (): SamplerPreset[] => z.array(SamplerPreset).safeParse(store.get(settingKey)).data ?? []
  const refuseBuiltIn = (id: string) => {
    if (builtIn.some((preset) => preset.id === id))
      throw new AppError({ code: 'model/bad-request', reason: `preset ${id} is built in` })
  }
  return {
    /** Returns all presets, the built-in ones first. */
    list: () => [...builtIn, ...own()],
    save(preset: SamplerPreset) {
      refuseBuiltIn(preset.id)
      const saved = { ...preset, isBuiltIn: false }
      const before = own()
      const at = before.findIndex(({ id }) => id === preset.id)
      store.set(settingKey, at < 0 ? [...before, saved] : before.with(at, saved))
    },
    remove(presetId: string) {
      refuseBuiltIn(presetId)
      const others = own().filter(({ id }) => id !== presetId)
      store.set(settingKey, others)
    },
  }
}
