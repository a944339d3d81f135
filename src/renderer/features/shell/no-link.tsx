import { createTranslate, type Language } from '../../../shared/i18n/translate.ts'
import { useAppStore } from '../../state/store-context.tsx'
import { hasUnsavedText, unsavedNames } from '../../state/unsaved-text.ts'
import { Notice } from '../../ui/notice.tsx'
import { CopyUnsaved } from './copy-unsaved.tsx'
import { NewLink } from './new-link.tsx'

/**
 * Shown in place of the window where the host does not accept this tab: in both languages, as none is chosen yet. What
 * an earlier page of the tab could not save is named, and can be copied.
 */
export function NoLink() {
  const store = useAppStore()
  const own: Language = navigator.language.toLowerCase().startsWith('ja') ? 'ja' : 'en'
  const languages: Language[] = own === 'ja' ? ['ja', 'en'] : ['en', 'ja']
  const hasUnsaved = hasUnsavedText(store)
  return (
    <main className="no-link">
      {languages.map((language) => {
        const t = createTranslate(language)
        return (
          <section key={language} lang={language}>
            <h2>{t('noLink.title')}</h2>
            <p>{t('noLink.why')}</p>
            <p>{t('noLink.where')}</p>
            {hasUnsaved && language === own && (
              <Notice tone="warn" actions={<CopyUnsaved t={t} />}>
                {t('noLink.kept', { names: unsavedNames(store, t) })}
              </Notice>
            )}
            {language === own && <NewLink t={t} />}
          </section>
        )
      })}
    </main>
  )
}
