import type { EditorSettings, InputAids, PageSettings } from '../../../shared/domain/app/editor-settings.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { CheckField, ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'

export function EditorSection() {
  const { t } = useWords()
  const { value, update } = useApp((state) => state.settings)
  const editor = value.editor
  const change = (patch: Partial<EditorSettings>) => void update({ editor: patch })
  const isFirstJapanese = useWords().language === 'ja'
  const pages = isFirstJapanese ? (['ja', 'en'] as const) : (['en', 'ja'] as const)
  return (
    <>
      <CheckField
        label={t('settings.typewriter')}
        hint={t('settings.typewriter.hint')}
        value={editor.isTypewriter}
        onChange={(isTypewriter) => change({ isTypewriter })}
      />
      <CheckField
        label={t('settings.focusMode')}
        hint={t('settings.focusMode.hint')}
        value={editor.isFocusMode}
        onChange={(isFocusMode) => change({ isFocusMode })}
      />
      <CheckField
        label={t('settings.ruby')}
        hint={t('settings.ruby.hint')}
        value={editor.isRubyDrawn}
        onChange={(isRubyDrawn) => change({ isRubyDrawn })}
      />
      <ChoiceField
        label={t('vertical.label')}
        value={editor.verticalMode}
        options={(['continuous', 'paged'] as const).map((mode) => ({
          value: mode,
          label: t(`vertical.${mode}`),
        }))}
        onChange={(verticalMode) => change({ verticalMode })}
      />
      <CheckField
        label={t('settings.spellcheck')}
        hint={t('settings.spellcheck.hint')}
        value={editor.isSpellchecked}
        onChange={(isSpellchecked) => change({ isSpellchecked })}
      />
      <ChoiceField
        label={t('settings.page')}
        value={editor.page}
        options={(['text', ...pages] as const).map((page) => ({
          value: page,
          label: t(`settings.page.as.${page}`),
        }))}
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

/** How a page of one language is set. */
function PageFields({ title, page, onChange }: PageFieldsProps) {
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

type AidFieldsProps = { aids: InputAids; onChange: (patch: Partial<InputAids>) => void }

/** The settings of the editor's input aids. */
function AidFields({ aids, onChange }: AidFieldsProps) {
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
