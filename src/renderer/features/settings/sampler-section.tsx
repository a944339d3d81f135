import { useState } from 'react'
import type { Sampler, SamplerPreset } from '../../../shared/domain/model/sampler.ts'
import { presetName } from '../../state/slices/models-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { SamplerFields } from './sampler-fields.tsx'

/** Presets and their figures. A built-in one is never changed: a change becomes a preset of the user's own. */
export function SamplerSection() {
  const { t } = useWords()
  const { presets, profiles, savePreset, chooseCopy, removePreset, saveProfile, status, error } = useApp(
    (state) => state.models,
  )
  const mine = profiles.find((profile) => profile.id === status.profileId)
  const work = useApp((state) => state.work.current)
  const ofWork = useApp((state) => state.workSettings.value.samplerPresetId)
  const updateWork = useApp((state) => state.workSettings.update)
  /** The preset that the user looks at; undefined: the one in use. */
  const [shownId, setShownId] = useState<string>()
  const { errorText } = useWords()
  const preset =
    [shownId, ofWork, mine?.samplerPresetId]
      .map((presetId) => presets.find(({ id }) => id === presetId))
      .find((one) => one !== undefined) ?? presets[0]
  if (!preset) return <p className="dim">{t('loading')}</p>

  const choose = (presetId: string) => {
    setShownId(presetId)
    if (mine) void saveProfile({ ...mine, samplerPresetId: presetId })
  }
  const change = async (sampler: Sampler) => {
    if (!preset.isBuiltIn) return void savePreset({ ...preset, sampler })
    const own = ownCopy(preset, t('sampler.copyName', { name: presetName(t, preset) }), presets)
    const saved = await savePreset({ ...own, sampler })
    if (!saved) return
    setShownId(saved.id)
    await chooseCopy(preset.id, saved.id)
  }

  const saveAs = async () => {
    const saved = await savePreset(
      ownCopy(preset, t('sampler.copyName', { name: presetName(t, preset) }), presets),
    )
    if (saved) setShownId(saved.id)
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
        <Button onClick={() => void saveAs()}>{t('sampler.saveAs')}</Button>
      </div>
      {work && (
        <ChoiceField
          label={t('sampler.work', { name: work.name })}
          hint={t('sampler.work.hint')}
          value={presets.some(({ id }) => id === ofWork) ? (ofWork ?? '') : ''}
          options={[
            { value: '', label: t('sampler.work.asModel') },
            ...presets.map((one) => ({ value: one.id, label: presetName(t, one) })),
          ]}
          onChange={(presetId) => {
            void updateWork({ samplerPresetId: presetId === '' ? null : presetId })
            setShownId(presetId === '' ? undefined : presetId)
          }}
        />
      )}
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
                variant="danger"
                onClick={() => {
                  setShownId(undefined)
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
      <SamplerFields
        presetId={preset.id}
        sampler={preset.sampler}
        onChange={(sampler) => void change(sampler)}
      />
    </>
  )
}

function ownCopy(preset: SamplerPreset, name: string, presets: readonly SamplerPreset[]): SamplerPreset {
  let count = 1
  while (presets.some((one) => one.id === `own-${count}`)) count += 1
  return { ...preset, id: `own-${count}`, name: count === 1 ? name : `${name} ${count}`, isBuiltIn: false }
}
