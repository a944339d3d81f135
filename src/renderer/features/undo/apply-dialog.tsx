import './undo.css'
import { useEffect, useId, useState } from 'react'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { infoOf } from '../../state/slices/follow.ts'
import type { ComparedFile } from '../../state/slices/session/undo-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { ConfirmDialog, Dialog } from '../dialogs/dialog.tsx'
import { TextsDiff } from '../diff/file-diff.tsx'

type ApplyDialogProps = { text: string; path: string | null }

/** Time without typing after which the path counts as settled. Units: ms. */
const settleMs = 300

/** Writes a text of the conversation into a file: choose it, see what would change, apply. */
export function ApplyDialog({ text, path: given }: ApplyDialogProps) {
  const { t, errorText } = useWords()
  const files = useApp((state) => state.work.current?.files)
  const { compared, isBusy, error, compare, apply, clear } = useApp((state) => state.undo)
  const filesId = useId()
  const [path, setPath] = useState(given ?? '')
  const wanted = path.trim()
  useEffect(() => clear, [clear])
  useEffect(() => {
    if (wanted === '') return clear()
    const timer = setTimeout(() => void compare(wanted), wanted === given ? 0 : settleMs)
    return () => clearTimeout(timer)
  }, [wanted, given, compare, clear])
  const shown = compared?.path === wanted ? compared : null
  const isSame = shown?.text === text

  return (
    <ConfirmDialog
      title={t('apply.title')}
      confirmLabel={t('apply.go')}
      variant="primary"
      size="large"
      isReady={shown !== null && !isSame && !isBusy}
      onConfirm={() => apply(text)}
    >
      <div className="apply">
        <TextField
          label={t('apply.file')}
          hint={t('apply.file.hint')}
          error={error && errorText(error)}
          className="input apply-path"
          list={filesId}
          spellCheck={false}
          autoComplete="off"
          autoFocus={given === null}
          value={path}
          onChange={setPath}
        />
        <datalist id={filesId}>
          {files?.map((file) => (
            <option key={file.path} value={file.path} />
          ))}
        </datalist>
        {wanted === '' && <p className="dim">{t('apply.choose')}</p>}
        {shown && <Change compared={shown} text={text} />}
      </div>
      {shown && !isSame && (
        <TextsDiff
          label={t('gate.hunk.label', { path: shown.path })}
          path={shown.path}
          oldText={shown.text}
          newText={text}
        />
      )}
    </ConfirmDialog>
  )
}

function Change({ compared, text }: { compared: ComparedFile; text: string }) {
  const { t } = useWords()
  if (compared.text === null) return <p>{t('apply.new')}</p>
  if (compared.text === text) return <Notice tone="plain">{t('apply.same')}</Notice>
  return <p>{t('apply.whole')}</p>
}

type LeftFilesDialogProps = { itemId: string; paths: readonly string[]; by: 'acceptance' | 'undo' }

/** Files that were left as they are: both texts of each, and the way to write the other one after all. */
export function LeftFilesDialog({ itemId, paths, by }: LeftFilesDialogProps) {
  const { t } = useWords()
  return (
    <Dialog title={t('leftFiles.title')} size="large">
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
      {texts !== null && wanted !== null && (
        <TextsDiff
          label={t('gate.hunk.label', { path })}
          path={path}
          oldText={texts.current}
          newText={wanted}
          layout="side-by-side"
        />
      )}
    </section>
  )
}
