import { useState } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

/** Asks before a session works in one more folder: where that really is, what it means, and whether to trust it. */
export function AddFolder() {
  const { t, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const { look, isBusy, error, add } = useApp((state) => state.folders)
  const [isTrusted, setIsTrusted] = useState(false)
  const problem = look?.problem ?? null
  const submit = async () => {
    if (await add(look?.isTrusted === true ? null : isTrusted || null)) close()
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
            disabled={look === null || problem !== null || isBusy}
            onClick={() => void submit()}
          >
            {t('folder.add.do')}
          </Button>
        </>
      }
    >
      <div className="add-folder">
        {look === null && error === null && <p className="dim">{t('loading')}</p>}
        {look && <p className="add-folder-path">{look.path}</p>}
        {look && problem !== null && (
          <Notice tone="bad">{errorText({ code: 'folder/refused', path: look.path, problem })}</Notice>
        )}
        {look && problem === null && (
          <>
            <p>{t('folder.add.text')}</p>
            {look.isTrusted ? (
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
