import type { EditorSettings } from '../../../shared/domain/app/editor-settings.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { CheckField, ChoiceField } from '../../ui/fields/choice-field.tsx'
import { AidFields } from './aid-fields.tsx'
import { PageFields } from './page-fields.tsx'

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
