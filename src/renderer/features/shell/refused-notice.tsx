import { useEffect, useState } from 'react'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { hasUnsavedText, unsavedText } from '../../state/unsaved-text.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { NewLink } from './new-link.tsx'

const checkMs = 500

/** Says that the host was started anew and wants its new link, and what can be done with unsaved text. */
export function RefusedNotice() {
  const { t } = useWords()
  const store = useAppStore()
  const toast = useApp((state) => state.ui.toast)
  const [hasUnsaved, setHasUnsaved] = useState(() => hasUnsavedText(store))
  // The text is in the editor, which does not report each key to a store: it is checked at intervals.
  useEffect(() => {
    const timer = setInterval(() => setHasUnsaved(hasUnsavedText(store)), checkMs)
    return () => clearInterval(timer)
  }, [store])

  const copy = () =>
    void navigator.clipboard.writeText(unsavedText(store, t)).then(
      () => toast({ key: 'banner.unsavedCopied' }),
      () => toast({ key: 'conversation.notCopied' }),
    )
  return (
    <Notice
      tone="bad"
      actions={hasUnsaved && <Button onClick={copy}>{t('banner.copyUnsaved')}</Button>}
      below={<NewLink t={t} />}
    >
      {t('banner.refused')} {hasUnsaved && t('banner.refusedUnsaved')}
    </Notice>
  )
}
