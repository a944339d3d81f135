import { memo } from 'react'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { noticeText } from './cards/item-words.ts'

type ItemOf<K extends SessionItem['kind']> = { item: Extract<SessionItem, { kind: K }> }

/** The reasons of the model's decision: one quiet line that opens. */
export const DecisionLine = memo(function DecisionLine({ item }: ItemOf<'decision'>) {
  const { t } = useWords()
  const { decision } = item
  const checks = [
    ['goal', decision.goal_consistency],
    ['constraint', decision.constraint_check],
  ] as const
  return (
    <details className="quiet">
      <summary>{decision.rationale || t('conversation.decision')}</summary>
      <dl className="facts">
        <dt>{t('conversation.decision.step')}</dt>
        <dd>
          {t(`course.step.${decision.step}`)} · {t(`conversation.decision.next.${decision.next_step}`)}
        </dd>
        {checks.map(([name, check]) => (
          <div key={name} className="facts-pair">
            <dt>{t(`conversation.decision.${name}`)}</dt>
            <dd>
              {t(`conversation.decision.${check.answer}`)}
              {check.reason !== '' && ` · ${check.reason}`}
            </dd>
          </div>
        ))}
        {decision.state_delta && (
          <>
            <dt>{t('conversation.decision.change')}</dt>
            <dd>{decision.state_delta.summary}</dd>
          </>
        )}
      </dl>
      {item.isRepaired && <p className="dim small">{t('conversation.decision.repaired')}</p>}
    </details>
  )
})

export const NoticeLine = memo(function NoticeLine({ item }: ItemOf<'notice'>) {
  const { t } = useWords()
  const { notice } = item
  const { carryOut, editCourse } = useApp((state) => state.conversation)
  const putBack = useApp((state) => state.composer.putBack)
  const isInPlanMode = useApp(({ conversation }) => conversation.current?.state?.mode === 'plan')
  const isLast = useApp(({ conversation }) => conversation.current?.items.at(-1)?.turn === item.turn)
  const open = useApp((state) => state.ui.open)
  const isOpen = useApp(
    ({ conversation }) =>
      notice.kind === 'question-deferred' &&
      conversation.current?.state?.course.openQuestions.includes(notice.question) === true,
  )
  const goOn = () => putBack([{ kind: 'text', text: t('conversation.goOn') }])
  return (
    <div className="quiet quiet-notice">
      <p className="grow">{noticeText(t, notice)}</p>
      {notice.kind === 'leave-plan-mode' && isInPlanMode && isLast && (
        <Button onClick={() => void carryOut()}>{t('conversation.carryOut')}</Button>
      )}
      {notice.kind === 'left-alone' && (
        <Button
          onClick={() =>
            open({ kind: 'left-files', itemId: item.itemId, paths: notice.paths, by: 'acceptance' })
          }
        >
          {t('leftFiles.open')}
        </Button>
      )}
      {notice.kind === 'continue-after-crash' && <Button onClick={goOn}>{t('conversation.goOn')}</Button>}
      {notice.kind === 'question-deferred' && isOpen && (
        <Button
          onClick={() =>
            putBack([{ kind: 'text', text: t('course.answer.start', { question: notice.question }) }])
          }
        >
          {t('conversation.answer')}
        </Button>
      )}
      {notice.kind === 'pattern-proposed' && <PatternAnswer pattern={notice.pattern} />}
      {notice.kind === 'course-proposed' && (
        <Button onClick={() => void editCourse({ kind: 'write', item: notice.item, value: notice.value })}>
          {t('conversation.takeOver')}
        </Button>
      )}
    </div>
  )
})

/** Asks about a proposed pattern: nothing is remembered before the user says so. */
function PatternAnswer({ pattern }: { pattern: string }) {
  const { t } = useWords()
  const editCourse = useApp((state) => state.conversation.editCourse)
  const isOpen = useApp(
    ({ conversation }) => conversation.current?.state?.proposedPatterns.includes(pattern) === true,
  )
  const isKept = useApp(
    ({ conversation }) => conversation.current?.state?.learnedPatterns.includes(pattern) === true,
  )
  if (isKept) return <p className="dim small">{t('notice.pattern-proposed.kept')}</p>
  if (!isOpen) return null
  return (
    <>
      <Button onClick={() => void editCourse({ kind: 'learn', pattern })}>
        {t('notice.pattern-proposed.learn')}
      </Button>
      <Button variant="quiet" onClick={() => void editCourse({ kind: 'decline', pattern })}>
        {t('notice.pattern-proposed.decline')}
      </Button>
    </>
  )
}

export const CompactionLine = memo(function CompactionLine({ item }: ItemOf<'compaction'>) {
  const { t } = useWords()
  const figures = { before: item.tokensBefore, after: item.tokensAfter }
  return (
    <details className="quiet quiet-mark">
      <summary>{t(`conversation.compaction.${item.state}`, figures)}</summary>
      <p className="pre">{item.summary}</p>
    </details>
  )
})

export const UndoLine = memo(function UndoLine({ item }: ItemOf<'undo'>) {
  const { t } = useWords()
  const open = useApp((state) => state.ui.open)
  const done = item.isRedo ? 'conversation.redone' : 'conversation.undone'
  const left = item.left ?? []
  return (
    <details className="quiet quiet-mark" open={left.length > 0}>
      <summary>{t(item.isResumed ? `${done}.resumed` : done, { count: item.files.length })}</summary>
      <ul>
        {item.files.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
      {left.length > 0 && (
        <div className="row">
          <p className="grow">{t('conversation.undo.left', { paths: left })}</p>
          {item.leftOf && (
            <Button
              onClick={() => open({ kind: 'left-files', itemId: item.itemId, paths: left, by: 'undo' })}
            >
              {t('leftFiles.open')}
            </Button>
          )}
        </div>
      )}
    </details>
  )
})

export const FolderLine = memo(function FolderLine({ item }: ItemOf<'folder'>) {
  const { t } = useWords()
  return <p className="quiet quiet-mark">{t(`folder.item.${item.change}`, { path: item.path })}</p>
})
