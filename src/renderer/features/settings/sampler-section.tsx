import { useState } from 'react'
import type { Sampler, SamplerPreset } from '../../../shared/domain/model/sampler.ts'
import { presetName } from '../../state/slices/models-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'

const ranges: { name: keyof Sampler; min: number; max: number; step: number }[] = [
  { name: 'temperature', min: 0, max: 2, step: 0.05 },
  { name: 'topK', min: 0, max: 200, step: 1 },
  { name: 'topP', min: 0.05, max: 1, step: 0.01 },
  { name: 'minP', min: 0, max: 0.5, step: 0.01 },
  { name: 'repeatPenalty', min: 1, max: 1.5, step: 0.01 },
  { name: 'repeatRange', min: 0, max: 4096, step: 1 },
]

/** Presets and their figures. A built-in one is never changed: a change becomes a preset of the user's own. */
export function SamplerSection() {
  const { t } = useWords()
  const { presets, profiles, savePreset, removePreset, saveProfile, status, error } = useApp(
    (state) => state.models,
  )
  const mine = profiles.find((profile) => profile.id === status.profileId)
  const [shownId, setShownId] = useState(mine?.samplerPresetId)
  const { errorText } = useWords()
  const preset = presets.find((one) => one.id === shownId) ?? presets[0]
  if (!preset) return <p className="dim">{t('loading')}</p>

  const choose = (presetId: string) => {
    setShownId(presetId)
    if (mine) void saveProfile({ ...mine, samplerPresetId: presetId })
  }
  const change = async (sampler: Sampler) => {
    if (!preset.isBuiltIn) return void savePreset({ ...preset, sampler })
    const own = ownCopy(preset, t('sampler.copyName', { name: presetName(t, preset) }), presets)
    const saved = await savePreset({ ...own, sampler })
    if (saved) choose(saved.id)
  }

  return (
    <>
      <div className="preset-head">
        <div className="grow">
          <ChoiceField
            label={t('sampler.preset')}
            hint={mine ? t('sampler.preset.hint', { model: mine.name }) : t('sampler.preset.noModel')}
            value={preset.id}
            options={presets.map((one) => ({ value: one.id, label: presetName(t, one) }))}
            onChange={choose}
          />
        </div>
      </div>
      {!preset.isBuiltIn && (
        <Field label={t('sampler.name')} layout="row">
          {(ids) => (
            <span className="row">
              <input
                {...ids}
                key={preset.id}
                className="input"
                defaultValue={preset.name ?? ''}
                onBlur={(event) => {
                  const name = event.target.value.trim()
                  if (name !== '' && name !== preset.name) void savePreset({ ...preset, name })
                }}
              />
              <Button
                look="danger"
                onClick={() => {
                  const next = presets.find((one) => one.isBuiltIn)
                  if (next) choose(next.id)
                  void removePreset(preset.id)
                }}
              >
                {t('action.remove')}
              </Button>
            </span>
          )}
        </Field>
      )}
      {error && <p className="field-note field-error">{errorText(error)}</p>}
      {ranges.map(({ name, min, max, step }) => (
        <NumberField
          key={`${preset.id}-${name}`}
          label={t(`sampler.${name}`)}
          hint={t(`sampler.${name}.hint`)}
          hasSlider
          min={min}
          max={Math.max(max, preset.sampler[name])}
          step={step}
          value={preset.sampler[name]}
          onCommit={(value) => void change({ ...preset.sampler, [name]: value })}
        />
      ))}
    </>
  )
}

function ownCopy(preset: SamplerPreset, name: string, presets: readonly SamplerPreset[]): SamplerPreset {
  let count = 1
  while (presets.some((one) => one.id === `own-${count}`)) count += 1
  return { ...preset, id: `own-${count}`, name: count === 1 ? name : `${name} ${count}`, isBuiltIn: false }
}
