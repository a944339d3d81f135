import './removed-files.css'
import { useEffect } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Verbatim } from '../../ui/verbatim.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** The link below the list of files that opens the bin; absent while nothing was removed. */
export function RemovedFilesLink() {
  const { t } = useWords()
  const current = useApp((state) => state.work.current)
  const { files, load } = useApp((state) => state.removed)
  const open = useApp((state) => state.ui.open)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is removed or restored changes the list of files
  useEffect(() => void load(), [load, current?.workId, current?.files])
  if (current === null || files.length === 0) return null
  return (
    <Button variant="quiet" className="removed-link" onClick={() => open({ kind: 'removed-files' })}>
      {t('removed.link', { count: files.length })}
    </Button>
  )
}

/** The bin: removed files with their versions, until they are restored or expire. */
export function RemovedFilesDialog() {
  const { t, language, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const { files, shown, error, load, show, restore, clear } = useApp((state) => state.removed)
  useEffect(() => {
    void load()
    return clear
  }, [load, clear])
  const timeOf = (at: number) =>
    new Date(at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' })

  return (
    <Dialog title={t('removed.title')} description={t('removed.hint')} size="medium">
      <div className="removed-files">
        {error && <Notice tone="bad">{errorText(error)}</Notice>}
        {files.length === 0 && <p className="dim">{t('removed.empty')}</p>}
        <ul aria-label={t('removed.title')}>
          {files.map(({ removedId, path, at }) => (
            <li key={removedId}>
              <div className="row">
                <span className="grow">{path}</span>
                <time className="dim" dateTime={new Date(at).toISOString()}>
                  {timeOf(at)}
                </time>
                <Button
                  variant="quiet"
                  aria-expanded={shown?.removedId === removedId}
                  aria-label={t('removed.showFile', { path })}
                  onClick={() => (shown?.removedId === removedId ? clear() : void show(removedId, null))}
                >
                  {t('removed.show')}
                </Button>
                <Button
                  aria-label={t('removed.restoreFile', { path })}
                  onClick={() => void restore(removedId).then((isDone) => isDone && close())}
                >
                  {t('removed.restore')}
                </Button>
              </div>
              {shown?.removedId === removedId && (
                <div className="removed-shown">
                  <label className="row">
                    <span className="label">{t('removed.version')}</span>
                    <select
                      className="input"
                      value={shown.entryId ?? ''}
                      onChange={(event) => void show(removedId, event.target.value || null)}
                    >
                      <option value="">{t('removed.last')}</option>
                      {shown.entries.map((entry) => (
                        <option key={entry.id} value={entry.id}>
                          {timeOf(entry.at)} · {t(`history.reason.${entry.reason}`)}
                        </option>
                      ))}
                    </select>
                  </label>
                  <pre className="pre removed-text">
                    <Verbatim text={shown.text} />
                  </pre>
                </div>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}
