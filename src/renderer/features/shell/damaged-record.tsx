import './no-link.css'
import { useEffect, useState } from 'react'
import type { RecordDamage } from '../../../shared/domain/app/host-info.ts'
import { sizeText } from '../../../shared/i18n/translate.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** In place of everything else while the host's database is damaged: what is in it, and the backups to go back to. */
export function DamagedRecord({ damage }: { damage: RecordDamage }) {
  const { t, language, errorText } = useWords()
  const { isRestored, restoreBackup, restoreError } = useApp((state) => state.connection)
  const [busy, setBusy] = useState<string | null>(null)
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' })

  // The window begins anew with what the restored database knows.
  useEffect(() => {
    if (isRestored) location.reload()
  }, [isRestored])

  const restore = (name: string) => {
    setBusy(name)
    void restoreBackup(name).finally(() => setBusy(null))
  }
  return (
    <main className="damaged-record">
      <section aria-labelledby="damaged-record">
        <h2 id="damaged-record">{t('damaged.title')}</h2>
        <p>{t('damaged.what', { path: damage.path, reason: damage.reason })}</p>
        <p>{t('damaged.safe')}</p>
        {restoreError && <Notice tone="bad">{errorText(restoreError)}</Notice>}
        <ul>
          {damage.backups.map((backup, index) => (
            <li key={backup.name}>
              <span className="grow">{dates.format(backup.at)}</span>
              <span className="dim">{sizeText(language, backup.sizeBytes)}</span>
              <Button
                look={index === 0 ? 'primary' : 'normal'}
                disabled={busy !== null}
                onClick={() => restore(backup.name)}
              >
                {t(busy === backup.name ? 'damaged.restoring' : 'damaged.restore')}
              </Button>
            </li>
          ))}
        </ul>
        <p className="small dim">{t('damaged.after')}</p>
      </section>
    </main>
  )
}
