import { useState } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

/** Asks before a session works in one more folder: where that really is, what it means, and whether to trust it. */
export function AddFolder() {
  const { t, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const { assessed, isBusy, error, add } = useApp((state) => state.folders)
  const [isTrusted, setIsTrusted] = useState(false)
  const problem = assessed?.problem ?? null
  const submit = async () => {
    if (await add(assessed?.isTrusted === true ? null : isTrusted || null)) close()
  }
  return (
    <Dialog
      title={t('folder.add')}
      size="small"
      closeLabel={t('action.close')}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button
            look="primary"
            disabled={assessed === null || problem !== null || isBusy}
            onClick={() => void submit()}
          >
            {t('folder.add.do')}
          </Button>
        </>
      }
    >
      <div className="add-folder">
        {assessed === null && error === null && <p className="dim">{t('loading')}</p>}
        {assessed && <p className="add-folder-path">{assessed.path}</p>}
        {assessed && problem !== null && (
          <Notice tone="bad">{errorText({ code: 'folder/refused', path: assessed.path, problem })}</Notice>
        )}
        {assessed && problem === null && (
          <>
            <p>{t('folder.add.text')}</p>
            {assessed.isTrusted ? (
              <p className="dim small">{t('folder.add.isTrusted')}</p>
            ) : (
              <label className="add-folder-trust">
                <input
                  type="checkbox"
                  className="check"
                  checked={isTrusted}
                  onChange={(event) => setIsTrusted(event.target.checked)}
                />
                <span>
                  {t('folder.add.trust')}
                  <span className="dim small">{t('folder.add.trust.hint')}</span>
                </span>
              </label>
            )}
          </>
        )}
        {error && <Notice tone="bad">{errorText(error)}</Notice>}
      </div>
    </Dialog>
  )
}
