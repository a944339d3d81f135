import './undo.css'
import { useEffect, useState } from 'react'
import type { UndoPreview } from '../../../shared/domain/session.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import type { UndoWhat } from '../../state/undo-slice.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Pieces } from '../../ui/verbatim.tsx'

const choices: readonly UndoWhat[] = ['both', 'files', 'conversation']

/** Takes back what happened from a turn on; says beforehand which files and messages that are. */
export function UndoDialog({ turn }: { turn: number }) {
  const { t, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const { preview, isBusy, error, look, undo, clear } = useApp((state) => state.undo)
  const [what, setWhat] = useState<UndoWhat>('both')
  useEffect(() => {
    void look(turn)
    return clear
  }, [look, clear, turn])
  const hasFiles = preview?.files.some((file) => !file.isChangedSince) ?? false
  const isFor = (choice: UndoWhat) => choice === 'conversation' || hasFiles || choice === 'both'

  return (
    <ConfirmDialog
      title={t('undo.title')}
      confirmLabel={t('undo.go')}
      cancelLabel={t('action.cancel')}
      closeLabel={t('action.close')}
      look="primary"
      size="medium"
      isReady={preview !== null && !isBusy}
      onConfirm={() => undo(turn, what)}
      onClose={close}
    >
      <div className="undo">
        {error && <Notice tone="bad">{errorText(error)}</Notice>}
        {preview === null && isBusy && <p className="dim late">{t('undo.loading')}</p>}
        {preview !== null && (
          <>
            <fieldset className="undo-what">
              <legend className="label">{t('undo.what')}</legend>
              {choices.map((choice) => (
                <label key={choice} className="row">
                  <input
                    type="radio"
                    name="undo-what"
                    className="check"
                    disabled={!isFor(choice)}
                    checked={what === choice}
                    onChange={() => setWhat(choice)}
                  />
                  {t(`undo.what.${choice}`)}
                </label>
              ))}
            </fieldset>
            {what !== 'conversation' && <Files preview={preview} />}
            {what !== 'files' && <p>{t('undo.messages', { count: preview.messages })}</p>}
          </>
        )}
      </div>
    </ConfirmDialog>
  )
}

function Files({ preview }: { preview: UndoPreview }) {
  const { t } = useWords()
  if (preview.files.length === 0) return <p className="dim">{t('undo.noFiles')}</p>
  return (
    <section aria-label={t('undo.files')}>
      <h3 className="label">{t('undo.files')}</h3>
      <ul className="undo-files">
        {preview.files.map((file) => (
          <li key={file.path}>
            <code>
              <Pieces text={file.path} />
            </code>
            <span className={file.isChangedSince ? 'undo-left' : 'dim'}>
              {t(file.isChangedSince ? 'undo.changedSince' : `undo.${file.action}`)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
