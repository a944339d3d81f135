import './history-panel.css'
import { useEffect } from 'react'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button, PlainButton } from '../../ui/button.tsx'
import { TextDiff } from '../../ui/diff/text-diff.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** Lists the snapshots of the open file, to compare and restore them. */
export function HistoryPanel() {
  const { t, language, errorText } = useWords()
  const { entries, error, load, compare, snapshot } = useApp((state) => state.history)
  const documentId = useApp(
    (state) => state.documents.byPath[state.documents.activePath ?? '']?.documentId ?? null,
  )
  const unit = useApp(({ documents }) => (documents.figures?.language === 'en' ? 'words' : 'characters'))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another document has another history
  useEffect(() => void load(), [load, documentId])

  return (
    <div className="history-panel">
      <div className="row">
        <p className="grow small dim">{t('history.hint')}</p>
        <Button disabled={documentId === null} onClick={() => void snapshot()}>
          {t('history.snapshot')}
        </Button>
      </div>
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {entries?.length === 0 && <p className="empty-note">{t('history.empty')}</p>}
      <ul aria-label={t('tab.history')}>
        {entries?.map((entry) => (
          <li key={entry.id}>
            <PlainButton className="history-entry" onClick={() => void compare(entry)}>
              <time dateTime={new Date(entry.at).toISOString()}>
                {new Date(entry.at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' })}
              </time>
              <span className="grow">{t(`history.reason.${entry.reason}`)}</span>
              <span className="dim">{t(`status.${unit}`, { count: entry[unit] })}</span>
            </PlainButton>
          </li>
        ))}
      </ul>
    </div>
  )
}

export function HistoryCompare() {
  const { t, language } = useWords()
  const store = useAppStore()
  const { compared, closeCompared, restore } = useApp((state) => state.history)
  const key = useApp((state) => state.documents.byPath[state.documents.activePath ?? '']?.key)
  if (compared === null || key === undefined) return null
  const time = new Date(compared.entry.at).toLocaleString(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  return (
    <Dialog
      title={t('history.compareTitle', { time })}
      description={t('history.compareHint')}
      size="large"
      onClose={closeCompared}
      footer={
        <Button variant="primary" onClick={() => void restore(compared.entry.id)}>
          {t('history.restore')}
        </Button>
      }
    >
      <TextDiff
        before={compared.text}
        after={store.editor.current?.textOf(key) ?? ''}
        words={{
          label: t('diff.label'),
          same: t('diff.same'),
          skipped: (count) => t('diff.skipped', { count }),
        }}
      />
    </Dialog>
  )
}
