import type { EditorSettings, InputAids, PageSettings } from '../../../shared/domain/app/editor-settings.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { ChoiceField, optionsOf } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { settingFields } from './setting-fields.tsx'

export function EditorSection() {
  const { t, language } = useWords()
  const { value, update } = useApp((state) => state.settings)
  const editor = value.editor
  const change = (patch: Partial<EditorSettings>) => void update({ editor: patch })
  const { check } = settingFields({ t, value: editor, onChange: change })
  const pages = language === 'ja' ? (['ja', 'en'] as const) : (['en', 'ja'] as const)
  return (
    <>
      {check('isTypewriter', 'settings.typewriter')}
      {check('isFocusMode', 'settings.focusMode')}
      {check('isRubyDrawn', 'settings.ruby')}
      <ChoiceField
        label={t('vertical.label')}
        value={editor.verticalMode}
        options={optionsOf(['continuous', 'paged'], (mode) => t(`vertical.${mode}`))}
        onChange={(verticalMode) => change({ verticalMode })}
      />
      {check('isSpellchecked', 'settings.spellcheck')}
      <ChoiceField
        label={t('settings.page')}
        value={editor.page}
        options={optionsOf(['text', ...pages], (page) => t(`settings.page.as.${page}`))}
        onChange={(page) => change({ page })}
      />
      {pages.map((language) => (
        <PageFields
          key={language}
          title={t(`settings.page.${language}`)}
          page={editor[language]}
          onChange={(patch) => change({ [language]: { ...editor[language], ...patch } })}
        />
      ))}
      <AidFields aids={editor.aids} onChange={(patch) => change({ aids: { ...editor.aids, ...patch } })} />
    </>
  )
}

type PageFieldsProps = { title: string; page: PageSettings; onChange: (patch: Partial<PageSettings>) => void }

function PageFields({ title, page, onChange }: PageFieldsProps) {
  const { t } = useWords()
  const { figure } = settingFields({ t, value: page, onChange })
  return (
    <section className="settings-list" aria-label={title}>
      <h3>{title}</h3>
      <ChoiceField
        label={t('settings.font')}
        value={page.font}
        options={optionsOf(['serif', 'sans', 'own'], (font) => t(`settings.font.${font}`))}
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
      {figure('fontSizePx', 'settings.fontSize', { min: 12, max: 32, hasSlider: true })}
      {figure('lineHeight', 'settings.lineHeight', { min: 1.4, max: 3, step: 0.05, hasSlider: true })}
      {figure('measureEm', 'settings.measure', { min: 20, max: 80, hasSlider: true })}
    </section>
  )
}

type AidFieldsProps = { aids: InputAids; onChange: (patch: Partial<InputAids>) => void }

function AidFields({ aids, onChange }: AidFieldsProps) {
  const { t } = useWords()
  const { check, choice } = settingFields({ t, value: aids, onChange })
  return (
    <section className="settings-list" aria-label={t('settings.aids')}>
      <h3>{t('settings.aids')}</h3>
      {choice(
        'language',
        'settings.aids.language',
        ['text', 'ja', 'en'],
        (one) => `settings.aids.language.${one}`,
      )}
      {check('closesBrackets', 'settings.aids.closesBrackets')}
      {check('swallowsSpace', 'settings.aids.swallowsSpace')}
      {check('pairsDashes', 'settings.aids.pairsDashes')}
      {choice(
        'digits',
        'settings.aids.digits',
        ['typed', 'half', 'full'],
        (one) => `settings.aids.digits.${one}`,
      )}
      {check('smartQuotes', 'settings.aids.smartQuotes')}
      {check('smartDashes', 'settings.aids.smartDashes')}
    </section>
  )
}
