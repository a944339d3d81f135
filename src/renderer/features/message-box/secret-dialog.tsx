import { useState } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Verbatim } from '../../ui/verbatim.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** Asks which of the secrets that a message names go with it. Closing it sends nothing. */
export function SecretDialog({ paths }: { paths: readonly string[] }) {
  const { t } = useWords()
  const answer = useApp((state) => state.references.answerSecrets)
  const [leftOut, setLeftOut] = useState<readonly string[]>([])
  const allowed = paths.filter((path) => !leftOut.includes(path))
  return (
    <Dialog
      title={t('reference.secret.title')}
      description={t('reference.secret.text')}
      size="small"
      closeLabel={t('action.cancel')}
      onClose={() => answer(null)}
      footer={
        <>
          <Button autoFocus onClick={() => answer(null)}>
            {t('action.cancel')}
          </Button>
          <Button onClick={() => answer([])}>{t('reference.secret.leaveOut')}</Button>
          <Button disabled={allowed.length === 0} onClick={() => answer(allowed)}>
            {t('reference.secret.allow')}
          </Button>
        </>
      }
    >
      <ul className="secret-files">
        {paths.map((path) => (
          <li key={path}>
            {paths.length === 1 ? (
              <Verbatim text={path} />
            ) : (
              <label className="row">
                <input
                  type="checkbox"
                  checked={!leftOut.includes(path)}
                  onChange={({ target }) =>
                    setLeftOut(target.checked ? leftOut.filter((one) => one !== path) : [...leftOut, path])
                  }
                />
                <Verbatim text={path} />
              </label>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
