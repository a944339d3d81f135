import { useEffect, useState } from 'react'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { infoOf } from '../../state/follow.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { displayName } from '../../state/work-reducer.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextDiff } from '../../ui/text-diff.tsx'

/** The disk's text against the window's, with the choice at hand. */
export function CompareDisk({ path }: { path: string }) {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const close = useApp((state) => state.ui.close)
  const { resolveConflict } = useApp((state) => state.documents)
  const view = useApp((state) => state.documents.byPath[path])
  const [disk, setDisk] = useState<string | null>(null)
  const [error, setError] = useState<ErrorInfo | null>(null)
  const documentId = view?.documentId ?? null

  useEffect(() => {
    if (documentId === null) return
    store.client['document.diskText']({ documentId }).then(
      ({ text }) => setDisk(text),
      (failure) => setError(infoOf(failure)),
    )
  }, [store, documentId])

  const choose = (choice: 'reload' | 'keep-mine') => {
    close()
    void resolveConflict(path, choice)
  }
  const mine = view ? (store.editor.current?.textOf(view.key) ?? '') : ''
  return (
    <Dialog
      title={t('conflict.compareTitle', { name: displayName(path) })}
      description={t('conflict.compareHint')}
      closeLabel={t('action.close')}
      size="large"
      onClose={close}
      footer={
        <>
          <Button onClick={() => choose('reload')}>{t('conflict.reload')}</Button>
          <Button onClick={() => choose('keep-mine')}>{t('conflict.keepMine')}</Button>
        </>
      }
    >
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {disk !== null && <TextDiff before={disk} after={mine} words={diffWords(t)} />}
    </Dialog>
  )
}

const diffWords = (t: ReturnType<typeof useWords>['t']) => ({
  label: t('diff.label'),
  same: t('diff.same'),
  skipped: (count: number) => t('diff.skipped', { count }),
})
