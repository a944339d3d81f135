import './new-link.css'
import { type FormEvent, useId, useState } from 'react'
import type { MessageKey, Translate } from '../../../shared/i18n/translate.ts'
import { LINK_FRAGMENT } from '../../../shared/rpc/link-protocol.ts'
import { useApp, useAppStore } from '../../state/store-context.tsx'
import { hasUnsavedText } from '../../state/unsaved-text.ts'
import { Button } from '../../ui/button.tsx'

/**
 * A field for the link that a host has printed. A link of this very address is taken without loading the page
 * again, so that what stands in the window stays.
 */
export function NewLink({ t }: { t: Translate }) {
  const id = useId()
  const [link, setLink] = useState('')
  const [problem, setProblem] = useState<MessageKey | null>(null)
  const isTried = useApp((state) => state.connection.isLinkTried)
  const linkTried = useApp((state) => state.connection.linkTried)
  const store = useAppStore()
  const note = problem ?? (isTried ? 'link.wrong' : null)

  const connect = (event: FormEvent) => {
    event.preventDefault()
    const fragment = fragmentOf(link.trim())
    const isLeft = fragment.problem === 'link.elsewhere' && hasUnsavedText(store)
    setProblem(isLeft ? 'link.elsewhereUnsaved' : fragment.problem)
    if (fragment.hash === null) return
    linkTried()
    // Heard as a new link, as if it had been pasted into the address bar.
    location.hash = fragment.hash
  }

  return (
    <form className="new-link" onSubmit={connect}>
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
      <Button look="primary" type="submit" disabled={link.trim() === ''}>
        {t('link.connect')}
      </Button>
      {note && (
        <p id={`${id}-note`} className="new-link-note" role="alert">
          {t(note, { origin: location.origin })}
        </p>
      )}
    </form>
  )
}

function fragmentOf(text: string): { hash: string | null; problem: MessageKey | null } {
  const url = URL.parse(text)
  const token = new URLSearchParams(url?.hash.slice(1)).get(LINK_FRAGMENT)
  if (!url || token === null || token === '') return { hash: null, problem: 'link.none' }
  if (url.origin !== location.origin) return { hash: null, problem: 'link.elsewhere' }
  return { hash: `${LINK_FRAGMENT}=${token}`, problem: null }
}
