import type { PageSettings } from '../../../shared/domain/app/editor-settings.ts'
import { useWords } from '../../state/store-context.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'

type PageFieldsProps = { title: string; page: PageSettings; onChange: (patch: Partial<PageSettings>) => void }

/** How a page of one language is set. */
export function PageFields({ title, page, onChange }: PageFieldsProps) {
  const { t } = useWords()
  return (
    <section className="settings-list" aria-label={title}>
      <h3>{title}</h3>
      <ChoiceField
        label={t('settings.font')}
        value={page.font}
        options={(['serif', 'sans', 'own'] as const).map((font) => ({
          value: font,
          label: t(`settings.font.${font}`),
        }))}
        onChange={(font) => onChange({ font })}
      />
      {page.font === 'own' && (
        <Field label={t('settings.fontFamily')} hint={t('settings.fontFamily.hint')}>
          {(ids) => (
            <input
              {...ids}
              className="input"
              maxLength={200}
              defaultValue={page.fontFamily}
              onBlur={(event) => onChange({ fontFamily: event.target.value.trim() })}
            />
          )}
        </Field>
      )}
      <NumberField
        label={t('settings.fontSize')}
        hint={t('settings.fontSize.hint')}
        hasSlider
        min={12}
        max={32}
        value={page.fontSizePx}
        onCommit={(fontSizePx) => onChange({ fontSizePx })}
      />
      <NumberField
        label={t('settings.lineHeight')}
        hint={t('settings.lineHeight.hint')}
        hasSlider
        min={1.4}
        max={3}
        step={0.05}
        value={page.lineHeight}
        onCommit={(lineHeight) => onChange({ lineHeight })}
      />
      <NumberField
        label={t('settings.measure')}
        hint={t('settings.measure.hint')}
        hasSlider
        min={20}
        max={80}
        value={page.measureEm}
        onCommit={(measureEm) => onChange({ measureEm })}
      />
    </section>
  )
}
