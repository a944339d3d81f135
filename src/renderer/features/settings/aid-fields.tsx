import type { InputAids } from '../../../shared/domain/app/editor-settings.ts'
import { useWords } from '../../state/store-context.tsx'
import { CheckField, ChoiceField } from '../../ui/fields/choice-field.tsx'

type AidFieldsProps = { aids: InputAids; onChange: (patch: Partial<InputAids>) => void }

/** The settings of the editor's input aids. */
export function AidFields({ aids, onChange }: AidFieldsProps) {
  const { t } = useWords()
  const check = (
    name: 'closesBrackets' | 'swallowsSpace' | 'pairsDashes' | 'smartQuotes' | 'smartDashes',
  ) => (
    <CheckField
      label={t(`settings.aids.${name}`)}
      hint={t(`settings.aids.${name}.hint`)}
      value={aids[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  return (
    <section className="settings-list" aria-label={t('settings.aids')}>
      <h3>{t('settings.aids')}</h3>
      <ChoiceField
        label={t('settings.aids.language')}
        hint={t('settings.aids.language.hint')}
        value={aids.language}
        options={(['text', 'ja', 'en'] as const).map((language) => ({
          value: language,
          label: t(`settings.aids.language.${language}`),
        }))}
        onChange={(language) => onChange({ language })}
      />
      {check('closesBrackets')}
      {check('swallowsSpace')}
      {check('pairsDashes')}
      <ChoiceField
        label={t('settings.aids.digits')}
        hint={t('settings.aids.digits.hint')}
        value={aids.digits}
        options={(['typed', 'half', 'full'] as const).map((digits) => ({
          value: digits,
          label: t(`settings.aids.digits.${digits}`),
        }))}
        onChange={(digits) => onChange({ digits })}
      />
      {check('smartQuotes')}
      {check('smartDashes')}
    </section>
  )
}
