import {
  createTranslate,
  type Language,
  type MessageKey,
  sizeText,
  type Translate,
} from '../../../shared/i18n/translate.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { hasUnsavedText, unsavedNames, unsavedText } from '../../state/unsaved-text.ts'
import { Notice } from '../../ui/notice.tsx'
import './stopped-pages.css'
import { useEffect, useId, useState } from 'react'
import type { RecordDamage } from '../../../shared/domain/app/host-info.ts'
import { LINK_FRAGMENT } from '../../../shared/rpc/link-protocol.ts'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/fields/form.tsx'

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

/** A field for a host's link. One of this very address loads no page, so that what stands in the window stays. */
export function NewLink({ t }: { t: Translate }) {
  const id = useId()
  const [link, setLink] = useState('')
  const [problem, setProblem] = useState<MessageKey | null>(null)
  const isTried = useApp((state) => state.connection.isLinkTried)
  const linkTried = useApp((state) => state.connection.linkTried)
  const store = useAppStore()
  const note = problem ?? (isTried ? 'link.wrong' : null)

  const connect = () => {
    const fragment = fragmentOf(link.trim())
    const isLeft = fragment.problem === 'link.elsewhere' && hasUnsavedText(store)
    setProblem(isLeft ? 'link.elsewhereUnsaved' : fragment.problem)
    if (fragment.hash === null) return
    linkTried()
    // Heard as a new link, as if it had been pasted into the address bar.
    location.hash = fragment.hash
  }

  return (
    <Form className="new-link" onSubmit={connect}>
      <label htmlFor={id}>{t('link.label')}</label>
      <input
        id={id}
        className="input grow"
        type="url"
        autoComplete="off"
        spellCheck={false}
        placeholder={`${location.origin}/#${LINK_FRAGMENT}=…`}
        value={link}
        aria-describedby={note ? `${id}-note` : undefined}
        onChange={(event) => setLink(event.target.value)}
      />
      <Button variant="primary" type="submit" disabled={link.trim() === ''}>
        {t('link.connect')}
      </Button>
      {note && (
        <p id={`${id}-note`} className="new-link-note" role="alert">
          {t(note, { origin: location.origin })}
        </p>
      )}
    </Form>
  )
}

function fragmentOf(text: string): { hash: string | null; problem: MessageKey | null } {
  const url = URL.parse(text)
  const token = new URLSearchParams(url?.hash.slice(1)).get(LINK_FRAGMENT)
  if (!url || token === null || token === '') return { hash: null, problem: 'link.none' }
  if (url.origin !== location.origin) return { hash: null, problem: 'link.elsewhere' }
  return { hash: `${LINK_FRAGMENT}=${token}`, problem: null }
}

/** Copies all text that would be lost with this tab. */
export function CopyUnsaved({ t }: { t: Translate }) {
  const store = useAppStore()
  const toast = useApp((state) => state.ui.toast)
  const copy = () =>
    void navigator.clipboard.writeText(unsavedText(store, t)).then(
      () => toast({ key: 'banner.unsavedCopied' }),
      () => toast({ key: 'conversation.notCopied' }),
    )
  return <Button onClick={copy}>{t('banner.copyUnsaved')}</Button>
}

/** In place of everything else while the host's database is damaged: what is in it, and the backups to go back to. */
export function DamagedRecord({ damage }: { damage: RecordDamage }) {
  const { t, language, errorText } = useWords()
  const { isRestored, restoreBackup, restoreError } = useApp((state) => state.connection)
  const [busy, setBusy] = useState<string | null>(null)
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' })

  // The window begins anew with what the restored database knows.
  useEffect(() => {
    if (isRestored) location.reload()
  }, [isRestored])

  const restore = (name: string) => {
    setBusy(name)
    void restoreBackup(name).finally(() => setBusy(null))
  }
  return (
    <main className="damaged-record">
      <section aria-labelledby="damaged-record">
        <h2 id="damaged-record">{t('damaged.title')}</h2>
        <p>{t('damaged.what', { path: damage.path, reason: damage.reason })}</p>
        <p>{t('damaged.safe')}</p>
        {restoreError && <Notice tone="bad">{errorText(restoreError)}</Notice>}
        <ul>
          {damage.backups.map((backup, index) => (
            <li key={backup.name}>
              <span className="grow">{dates.format(backup.at)}</span>
              <span className="dim">{sizeText(language, backup.sizeBytes)}</span>
              <Button
                variant={index === 0 ? 'primary' : 'normal'}
                disabled={busy !== null}
                onClick={() => restore(backup.name)}
              >
                {t(busy === backup.name ? 'damaged.restoring' : 'damaged.restore')}
              </Button>
            </li>
          ))}
        </ul>
        <p className="small dim">{t('damaged.after')}</p>
      </section>
    </main>
  )
}
