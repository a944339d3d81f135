import './idea-panel.css'
import type { KeyboardEvent } from 'react'
import { IdeaItem } from '../../../shared/domain/drafting/draft-details.ts'
import { phaseText } from '../../state/reducers/run-words.ts'
import { shownIdeas } from '../../state/slices/work/ideas-slice.ts'
import { activeRun } from '../../state/slices/work/runs-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { DetailField } from './detail-field.tsx'

/** The shown idea as six sections, each under the field that it can be put into. */
export function IdeaPanel() {
  const { t } = useWords()
  const store = useAppStore()
  // What the sections are read from; each change of it draws the panel anew.
  useApp((state) => state.takes.list)
  useApp((state) => state.runs.byTake)
  useApp((state) => state.ideas)
  const { groups, index } = shownIdeas(store.getState())
  const idea = groups[index]
  const view = useApp((state) => activeRun(state.runs))
  const isBusy = useApp((state) => activeRun(state.runs) !== null || state.runs.isStarting)
  const { start, transfer, undoTransfer, show } = useApp((state) => state.ideas)
  const run = view?.run.mode === 'idea' ? view.run : undefined
  const isWriting = run && idea?.parts.some(({ takeId }) => takeId === run.takeId)
  const last = idea?.parts.at(-1)
  const isUnread = idea && !isWriting && last?.text !== '' && Object.keys(idea.sections).length === 0

  const undo = (event: KeyboardEvent) => {
    const isTyping = (event.target as HTMLElement).matches('input, textarea')
    if (isTyping || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.key.toLowerCase() !== 'z')
      return
    event.preventDefault()
    void undoTransfer()
  }

  return (
    <section className="idea-panel" aria-label={t('tab.ideas')} onKeyDown={undo}>
      <div className="idea-head">
        <Button variant="primary" disabled={isBusy} onClick={() => void start('all')}>
          {t(idea ? 'ideas.another' : 'ideas.start')}
        </Button>
        {groups.length > 1 && (
          <span className="idea-steps">
            <Button
              variant="quiet"
              aria-label={t('ideas.previous')}
              disabled={index <= 0}
              onClick={() => show(-1)}
            >
              ‹
            </Button>
            <span>{`${index + 1}/${groups.length}`}</span>
            <Button
              variant="quiet"
              aria-label={t('ideas.next')}
              disabled={index >= groups.length - 1}
              onClick={() => show(1)}
            >
              ›
            </Button>
          </span>
        )}
        <span className="grow" />
        <Button
          disabled={!idea || Object.keys(idea.change).length === 0 || isWriting}
          onClick={() => void transfer('all')}
        >
          {t('ideas.transferAll')}
        </Button>
      </div>
      {!idea && <p className="idea-empty">{t('ideas.empty')}</p>}
      {view && isWriting && (
        <p className="idea-empty" role="status">
          {view.run.phase === 'writing' ? t('ideas.writing') : phaseText(t, view)}
        </p>
      )}
      {isUnread && (
        <>
          <Notice tone="warn">{t('ideas.unread')}</Notice>
          <p className="pre idea-text serif">{last?.text}</p>
        </>
      )}
      {IdeaItem.options.map((item) => {
        const section = idea?.sections[item]
        return (
          <section key={item} className="idea-item" aria-label={t(`details.${item}`)}>
            <DetailField name={item} hasHint={false} />
            <div className="idea-actions">
              <Button variant="quiet" disabled={isBusy} onClick={() => void start(item)}>
                {t(section === undefined ? 'ideas.one' : 'ideas.again')}
              </Button>
              <Button
                variant="quiet"
                disabled={idea?.change[item] === undefined || isWriting}
                onClick={() => void transfer(item)}
              >
                {t('ideas.transfer')}
              </Button>
            </div>
            <p className={section ? 'pre idea-text serif' : 'pre idea-text idea-none'}>
              {section ?? t('ideas.none')}
            </p>
          </section>
        )
      })}
    </section>
  )
}
