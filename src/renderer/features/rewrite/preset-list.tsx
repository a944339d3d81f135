import { useState } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'

/** The rewrite presets, each a button; they can be changed, added and removed. */
export function PresetList() {
  const { t } = useWords()
  const { presets, instruction, setInstruction, keepPresets } = useApp((state) => state.rewrite)
  const isOwn = useApp((state) => state.settings.value.drafting.rewrites !== null)
  const chosen = presets.find((preset) => preset.instruction === instruction)
  const [name, setName] = useState('')
  const wanted = name.trim()
  const isKnown = presets.some((preset) => preset.name === wanted)

  const save = () => {
    const preset = { name: wanted, instruction: instruction.trim() }
    const others = presets.map((one) => (one.name === wanted ? preset : one))
    void keepPresets(isKnown ? others : [...presets, preset])
  }
  const remove = () => void keepPresets(presets.filter((preset) => preset.name !== wanted))

  return (
    <>
      <fieldset className="rewrite-presets" aria-label={t('rewrite.presets')}>
        {presets.map((preset) => (
          <Button
            key={preset.name}
            aria-pressed={preset === chosen}
            onClick={() => {
              setInstruction(preset.instruction)
              setName(preset.name)
            }}
          >
            {preset.name}
          </Button>
        ))}
      </fieldset>
      <details className="rewrite-edit">
        <summary>{t('rewrite.editPresets')}</summary>
        <div className="row">
          <input
            className="input grow"
            aria-label={t('rewrite.presetName')}
            placeholder={t('rewrite.presetName')}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button disabled={wanted === '' || instruction.trim() === ''} onClick={save}>
            {t(isKnown ? 'rewrite.changePreset' : 'rewrite.addPreset')}
          </Button>
          <Button disabled={!isKnown || presets.length < 2} onClick={remove}>
            {t('rewrite.removePreset')}
          </Button>
          <Button look="quiet" disabled={!isOwn} onClick={() => void keepPresets(null)}>
            {t('rewrite.resetPresets')}
          </Button>
        </div>
      </details>
    </>
  )
}
