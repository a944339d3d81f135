import './undo.css'
import { useEffect, useId, useMemo, useState } from 'react'
import { diffHunks } from '../../../shared/text/difference/hunks.ts'
import type { ComparedFile } from '../../state/slices/session/undo-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { FileDiff } from '../diff/file-diff.tsx'

type ApplyDialogProps = { text: string; path: string | null }

/** Time without typing after which the path counts as settled. Units: ms. */
const settleMs = 300

/** Writes a text of the conversation into a file: choose it, see what would change, apply. */
export function ApplyDialog({ text, path: given }: ApplyDialogProps) {
  const { t, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
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
      cancelLabel={t('action.cancel')}
      closeLabel={t('action.close')}
      look="primary"
      size="large"
      isReady={shown !== null && !isSame && !isBusy}
      onConfirm={() => apply(text)}
      onClose={close}
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
      {shown && !isSame && <ApplyDiff compared={shown} text={text} />}
    </ConfirmDialog>
  )
}

function Change({ compared, text }: { compared: ComparedFile; text: string }) {
  const { t } = useWords()
  if (compared.text === null) return <p>{t('apply.new')}</p>
  if (compared.text === text) return <Notice tone="plain">{t('apply.same')}</Notice>
  return <p>{t('apply.whole')}</p>
}

function ApplyDiff({ compared, text }: { compared: ComparedFile; text: string }) {
  const { t } = useWords()
  const { path, text: oldText } = compared
  const hunks = useMemo(() => diffHunks(oldText ?? '', text), [oldText, text])
  const label = t('gate.hunk.label', { path })
  return <FileDiff label={label} path={path} oldText={oldText} newText={text} hunks={hunks} />
}
