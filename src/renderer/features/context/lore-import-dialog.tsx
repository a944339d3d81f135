import { useEffect } from 'react'
import type { LoreToImport } from '../../../shared/domain/lore/lore-exchange.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

const shownEntries = 300

/** What an import would make, before anything is written. */
export function LoreImportDialog() {
  const { t } = useWords()
  const close = useApp((state) => state.ui.close)
  const { plan, runImport, closePlan } = useApp((state) => state.lore)
  useEffect(() => closePlan, [closePlan])
  if (plan === null) return null
  const { entries, empty, format } = plan
  const losses = [...new Set(entries.flatMap((entry) => entry.losses))]
  return (
    <Dialog
      title={t('picker.import-lore')}
      description={t('loreImport.count', {
        format: t(`loreImport.format.${format}`),
        count: entries.length,
      })}
      closeLabel={t('action.close')}
      size="large"
      onClose={close}
      footer={
        <Button look="primary" onClick={() => void runImport()}>
          {t('loreImport.run', { count: entries.length })}
        </Button>
      }
    >
      <div className="lore lore-settings">
        {losses.length > 0 && (
          <Notice tone="warn">
            {t('loreImport.losses')} {losses.map((loss) => t(`loreImport.loss.${loss}`)).join(' · ')}.{' '}
            {t('loreImport.kept')}
          </Notice>
        )}
        {empty > 0 && <p className="dim">{t('loreImport.empty', { count: empty })}</p>}
        <ul>
          {entries.slice(0, shownEntries).map((entry) => (
            <EntryRow key={entry.path} entry={entry} />
          ))}
        </ul>
        {entries.length > shownEntries && <p className="dim">… {entries.length - shownEntries}</p>}
      </div>
    </Dialog>
  )
}

function EntryRow({ entry }: { entry: LoreToImport }) {
  const { t } = useWords()
  const { path, keys, always, enabled, begins, losses } = entry
  return (
    <li className="lore-entry">
      <div className="row">
        <strong className="grow clip">{path}</strong>
        {!enabled && <span className="dim">{t('lore.disabled')}</span>}
        <span className="dim clip">{always ? t('lore.always') : keys.join(' · ')}</span>
      </div>
      <p className="dim">{begins}</p>
      {losses.length > 0 && (
        <p className="dim">
          {t('loreImport.losses')} {losses.map((loss) => t(`loreImport.loss.${loss}`)).join(' · ')}
        </p>
      )}
    </li>
  )
}
