import { createTranslate, type Language } from '../../../shared/i18n/translate.ts'
import { NewLink } from './new-link.tsx'

/** Shown in place of the window where the host does not accept this tab: in both languages, as none is chosen yet. */
export function NoLink() {
  const own: Language = navigator.language.toLowerCase().startsWith('ja') ? 'ja' : 'en'
  const languages: Language[] = own === 'ja' ? ['ja', 'en'] : ['en', 'ja']
  return (
    <main className="no-link">
      {languages.map((language) => {
        const t = createTranslate(language)
        return (
          <section key={language} lang={language}>
            <h2>{t('noLink.title')}</h2>
            <p>{t('noLink.why')}</p>
            <p>{t('noLink.where')}</p>
            {language === own && <NewLink t={t} />}
          </section>
        )
      })}
    </main>
  )
}
