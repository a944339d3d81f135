import { useEffect, useMemo, useState } from 'react'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { diffHunks } from '../../../shared/text/difference/hunks.ts'
import { infoOf } from '../../state/slices/follow.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { FileDiff } from '../diff/file-diff.tsx'

type LeftFilesDialogProps = { itemId: string; paths: readonly string[]; by: 'acceptance' | 'undo' }

/** Files that were left as they are: both texts of each, and the way to write the other one after all. */
export function LeftFilesDialog({ itemId, paths, by }: LeftFilesDialogProps) {
  const { t } = useWords()
  const close = useApp((state) => state.ui.close)
  return (
    <Dialog title={t('leftFiles.title')} closeLabel={t('action.close')} size="large" onClose={close}>
      <p>{t(`leftFiles.text.${by}`)}</p>
      {paths.map((path) => (
        <LeftFile key={path} itemId={itemId} path={path} />
      ))}
    </Dialog>
  )
}

type Texts = { current: string | null; wanted: string | null }

function LeftFile({ itemId, path }: { itemId: string; path: string }) {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const sessionId = useApp((state) => state.conversation.current?.sessionId ?? '')
  const open = useApp((state) => state.ui.open)
  const [texts, setTexts] = useState<Texts | null>(null)
  const [error, setError] = useState<ErrorInfo | null>(null)
  useEffect(() => {
    store.client['session.leftFile']({ sessionId, itemId, path }).then(setTexts, (failure) =>
      setError(infoOf(failure)),
    )
  }, [store, sessionId, itemId, path])
  const { wanted = null } = texts ?? {}
  return (
    <section aria-label={path}>
      <div className="row">
        <code className="grow clip">
          <Pieces text={path} />
        </code>
        {wanted !== null && (
          <Button onClick={() => open({ kind: 'apply-text', text: wanted, path })}>
            {t('leftFiles.write')}
          </Button>
        )}
      </div>
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      {texts !== null && wanted === null && <p className="dim">{t('leftFiles.gone')}</p>}
      {texts !== null && wanted !== null && <Sides path={path} current={texts.current} wanted={wanted} />}
    </section>
  )
}

function Sides({ path, current, wanted }: { path: string; current: string | null; wanted: string }) {
  const { t } = useWords()
  const hunks = useMemo(() => diffHunks(current ?? '', wanted), [current, wanted])
  return (
    <FileDiff
      label={t('gate.hunk.label', { path })}
      path={path}
      oldText={current}
      newText={wanted}
      hunks={hunks}
      layout="side-by-side"
    />
  )
}
