import './course-panel.css'
import { useState } from 'react'
import type { CourseItem } from '../../../shared/domain/agent-course.ts'
import type { SessionState } from '../../../shared/domain/session.ts'
import { positionText } from '../../state/position-words.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { CourseEntry } from './course-entry.tsx'

const order: readonly CourseItem[] = ['goal', 'whyNow', 'constraints', 'planBrief', 'openQuestions']

/** What the session keeps in mind and where it stands; each item can be changed in place. */
export function CoursePanel() {
  const { t } = useWords()
  const state = useApp((app) => app.sessions.current?.state ?? null)
  if (state === null) return <p className="course-none">{t('course.none')}</p>
  return (
    <section className="course" aria-label={t('course.title')}>
      {state.session.messages === 0 && <p className="course-none">{t('course.none')}</p>}
      {order.map((item) => (
        <CourseEntry key={item} item={item} state={state} />
      ))}
      <Position state={state} />
      <Folded name={t('course.log')} lines={state.decisionLog.toReversed()} />
      <Folded name={t('course.patterns')} lines={state.learnedPatterns} />
      <Reset />
    </section>
  )
}

function Position({ state }: { state: SessionState }) {
  const { t } = useWords()
  return (
    <dl className="course-position">
      <dt>{t('course.step')}</dt>
      <dd>{positionText(t, state)}</dd>
      <dt>{t('session.mode')}</dt>
      <dd>{t(`session.mode.${state.mode}`)}</dd>
    </dl>
  )
}

function Folded({ name, lines }: { name: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <details className="course-folded">
      <summary>
        {name} <span className="dim">{lines.length}</span>
      </summary>
      <ul>
        {lines.map((line, at) => {
          const key = `${at} ${line}`
          return <li key={key}>{line}</li>
        })}
      </ul>
    </details>
  )
}

/** Asked once more in its place: the conversation stays, but what was kept in mind does not come back. */
function Reset() {
  const { t } = useWords()
  const reset = useApp((app) => app.sessions.reset)
  const [isAsked, setIsAsked] = useState(false)
  if (!isAsked) {
    return (
      <Button look="quiet" className="course-reset" onClick={() => setIsAsked(true)}>
        {t('course.reset')}
      </Button>
    )
  }
  return (
    <div className="course-ask" role="alert">
      <p>{t('course.reset.ask')}</p>
      <div className="row">
        <Button
          look="danger"
          onClick={() => {
            setIsAsked(false)
            void reset()
          }}
        >
          {t('course.reset.yes')}
        </Button>
        <Button autoFocus onClick={() => setIsAsked(false)}>
          {t('action.cancel')}
        </Button>
      </div>
    </div>
  )
}
