import { useEffect, useState } from 'react'
import { useAppStore, useWords } from '../../state/store-context.tsx'
import { hasUnsavedText } from '../../state/unsaved-text.ts'
import { Notice } from '../../ui/notice.tsx'
import { CopyUnsaved } from './copy-unsaved.tsx'
import { NewLink } from './new-link.tsx'

const checkMs = 500

/** Says that the host was started anew and wants its new link, and what can be done with unsaved text. */
export function RefusedNotice() {
  const { t } = useWords()
  const store = useAppStore()
  const [hasUnsaved, setHasUnsaved] = useState(() => hasUnsavedText(store))
  // The text is in the editor, which does not report each key to a store: it is checked at intervals.
  useEffect(() => {
    const timer = setInterval(() => setHasUnsaved(hasUnsavedText(store)), checkMs)
    return () => clearInterval(timer)
  }, [store])

  return (
    <Notice tone="bad" actions={hasUnsaved && <CopyUnsaved t={t} />} below={<NewLink t={t} />}>
      {t('banner.refused')} {hasUnsaved && t('banner.refusedUnsaved')}
    </Notice>
  )
}
