import { useEffect } from 'react'
import {
  type LoreLoss,
  type LoreToImport,
  leftOutOnImport,
} from '../../../shared/domain/lore/lore-exchange.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

const shownEntries = 300

/** Previews the files that an import would make, before anything is written. */
export function LoreImportDialog() {
  const { t } = useWords()
  const { plan, runImport, closePlan } = useApp((state) => state.lore)
  useEffect(() => closePlan, [closePlan])
  if (plan === null) return null
  const { entries, empty, tooMany, format } = plan
  const { unused, leftOut } = lossesIn(
    t,
    entries.flatMap((entry) => entry.losses),
  )
  return (
    <Dialog
      title={t('picker.import-lore')}
      description={t('loreImport.count', {
        format: t(`loreImport.format.${format}`),
        count: entries.length,
      })}
      size="large"
      footer={
        <Button variant="primary" onClick={() => void runImport()}>
          {t('loreImport.run', { count: entries.length })}
        </Button>
      }
    >
      <div className="lore lore-settings">
        {unused !== null && <Notice tone="warn">{t('loreImport.unused.kept', { names: unused })}</Notice>}
        {leftOut !== null && <Notice tone="warn">{t('loreImport.leftOut', { names: leftOut })}</Notice>}
        {tooMany > 0 && <Notice tone="warn">{t('loreImport.tooMany', { count: tooMany })}</Notice>}
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
  const { path, keys, always, enabled, begins } = entry
  const { unused, leftOut } = lossesIn(t, entry.losses)
  return (
    <li className="lore-entry">
      <div className="row">
        <strong className="grow clip">{path}</strong>
        {!enabled && <span className="dim lore-import-state">{t('lore.disabled')}</span>}
        <span className="dim clip lore-import-keys">{always ? t('lore.always') : keys.join(' · ')}</span>
      </div>
      <p className="dim">{begins}</p>
      {unused !== null && <p className="dim">{t('loreImport.unused', { names: unused })}</p>}
      {leftOut !== null && <p className="dim">{t('loreImport.leftOut', { names: leftOut })}</p>}
    </li>
  )
}

/** Names the losses that stay in the files, and those that do not. */
function lossesIn(
  t: Translate,
  losses: readonly LoreLoss[],
): { unused: string | null; leftOut: string | null } {
  const named = (isWanted: (loss: LoreLoss) => boolean) => {
    const names = [...new Set(losses)].filter(isWanted).map((loss) => t(`loreImport.loss.${loss}`))
    return names.length === 0 ? null : names.join(' · ')
  }
  return {
    unused: named((loss) => !leftOutOnImport.has(loss)),
    leftOut: named((loss) => leftOutOnImport.has(loss)),
  }
}
