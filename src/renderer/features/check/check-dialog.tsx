import './check.css'
import type { Contradiction } from '../../../shared/domain/lore/mentions.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'
import { MentionButton } from '../places/place-button.tsx'

/** Contradictions between a chapter and the lore that it mentions, as the model judges them, each with both quotations. */
export function CheckDialog({ path }: { path: string }) {
  const { t, errorText } = useWords()
  const workId = useApp((state) => state.work.current?.workId)
  const { value, start, stop } = useApp((state) => state.check)
  const check = value?.path === path && value.workId === workId ? value : null
  const isRunning = check?.state === 'running'
  const isElsewhere = check === null && value?.state === 'running'
  const count = check?.contradictions.length ?? 0
  const ending =
    check?.state === 'finished'
      ? check.entries === 0
        ? t('check.nothingMentioned')
        : count === 0
          ? t('check.none', { entries: check.entries })
          : t('check.found', { count })
      : check?.state === 'stopped'
        ? t('check.stopped', { count })
        : ''
  return (
    <Dialog
      title={t('check.title', { name: displayName(path) })}
      description={t('check.about')}
      size="medium"
      footer={
        <>
          <span className="dim grow" role="status">
            {isRunning
              ? check.pair === null
                ? t('ask.reading')
                : t('check.running', { nth: check.pair + 1, total: check.pairs, name: check.name })
              : isElsewhere
                ? t('check.elsewhere', { name: displayName(value.path) })
                : ending}
          </span>
          {isRunning || isElsewhere ? (
            <Button onClick={stop}>{t('editor.stop')}</Button>
          ) : (
            <Button variant="primary" autoFocus onClick={() => void start(path)}>
              {t(check === null ? 'check.start' : 'check.again')}
            </Button>
          )}
        </>
      }
    >
      <div className="chapter-check">
        {check?.error && <Notice tone="bad">{errorText(check.error)}</Notice>}
        {check !== null && check.failedKeys.length > 0 && (
          <Notice tone="warn">{t('mentions.failed', { keys: check.failedKeys })}</Notice>
        )}
        {check !== null && check.off.length > 0 && (
          <Notice tone="warn">{t('check.off', { paths: check.off })}</Notice>
        )}
        {check !== null && check.unread.length > 0 && (
          <Notice
            tone="warn"
            below={
              <ul className="check-unread">
                {check.unread.map(({ path: unread, error }) => (
                  <li key={unread}>
                    <strong>{unread}</strong> {errorText(error)}
                  </li>
                ))}
              </ul>
            }
          >
            {t('check.unread')}
          </Notice>
        )}
        {check !== null && check.unproven > 0 && (
          <Notice tone="plain">{t('check.unproven', { count: check.unproven })}</Notice>
        )}
        {check !== null && check.unreadable > 0 && (
          <Notice tone="warn">{t('check.unreadable', { count: check.unreadable })}</Notice>
        )}
        {check !== null && count > 0 && (
          <ol className="check-list">
            {check.contradictions.map((one) => (
              <ContradictionCard
                key={`${one.entry} ${one.inText.from} ${one.reason}`}
                path={path}
                one={one}
              />
            ))}
          </ol>
        )}
      </div>
    </Dialog>
  )
}

function ContradictionCard({ path, one }: { path: string; one: Contradiction }) {
  return (
    <li className="card">
      {one.reason !== '' && <p>{one.reason}</p>}
      <MentionButton path={path} place={one.inText} />
      <MentionButton path={one.entry} name={one.name} place={one.inEntry} />
    </li>
  )
}
