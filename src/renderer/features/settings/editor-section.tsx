import type { EditorSettings } from '../../../shared/domain/app-settings.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { CheckField } from '../../ui/choice-field.tsx'
import { NumberField } from '../../ui/number-field.tsx'

export function EditorSection() {
  const { t } = useWords()
  const { value, update } = useApp((state) => state.settings)
  const editor = value.editor
  const change = (patch: Partial<EditorSettings>) => void update({ editor: patch })
  return (
    <>
      <NumberField
        label={t('settings.fontSize')}
        hint={t('settings.fontSize.hint')}
        hasSlider
        min={12}
        max={32}
        value={editor.fontSizePx}
        onCommit={(fontSizePx) => change({ fontSizePx })}
      />
      <NumberField
        label={t('settings.lineHeight')}
        hint={t('settings.lineHeight.hint')}
        hasSlider
        min={1.4}
        max={3}
        step={0.05}
        value={editor.lineHeight}
        onCommit={(lineHeight) => change({ lineHeight })}
      />
      <NumberField
        label={t('settings.measure')}
        hint={t('settings.measure.hint')}
        hasSlider
        min={20}
        max={80}
        value={editor.measureEm}
        onCommit={(measureEm) => change({ measureEm })}
      />
      <CheckField
        label={t('settings.spellcheck')}
        hint={t('settings.spellcheck.hint')}
        value={editor.isSpellchecked}
        onChange={(isSpellchecked) => change({ isSpellchecked })}
      />
    </>
  )
}
