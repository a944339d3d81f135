import './status-bar.css'
import { useEffect, useRef, useState } from 'react'
import type { WritingProgress } from '../../../shared/domain/work/writing-progress.ts'
import { percentText, speedText } from '../../../shared/i18n/figure-text.ts'
import { countGraphemes } from '../../../shared/text/graphemes.ts'
import { pagesOf } from '../../../shared/text/manuscript/character-count.ts'
import { commands, keysOfId, openWriting } from '../../state/commands/commands.ts'
import { modelText } from '../../state/model-words.ts'
import { positionText } from '../../state/position-words.ts'
import type { RunView } from '../../state/reducers/run-reducer.ts'
import { workTotal } from '../../state/reducers/work-reducer.ts'
import { isStarterBusy } from '../../state/slices/catalogue-slice.ts'
import { activeRun, isEndless } from '../../state/slices/work/runs-slice.ts'
import { dayOf } from '../../state/slices/work/writing-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { usePhaseText } from '../../state/use-phase-text.ts'
import { Button, PlainButton } from '../../ui/button.tsx'
import { Meter } from '../../ui/meter.tsx'

export function StatusBar() {
  const isSession = useApp((state) => state.work.current !== null && state.ui.view === 'session')
  return (
    <footer className="status-bar">
      {isSession ? (
        <SessionStatus />
      ) : (
        <>
          <Characters />
          <span className="grow" />
        </>
      )}
      <StarterProgress />
      <SummaryProgress />
      {!isSession && <RunProgress />}
      {!isSession && <RunEnd />}
      {!isSession && <Endless />}
      {!isSession && <ModelName />}
    </footer>
  )
}

/** The count of the text in the measure of its language; a press shows the rest, the goal and the days. */
function Characters() {
  const { t } = useWords()
  const store = useAppStore()
  const figures = useApp((state) => state.documents.figures)
  const unit = figures?.language === 'en' ? 'words' : 'characters'
  const total = useApp((state) => workTotal(state.work.current, unit))
  const goal = useApp((state) => state.work.current?.progress.goal ?? null)
  const today = useApp((state) => todayOf(state.work.current?.progress, goal?.unit ?? unit))
  const hasFile = useApp((state) => state.documents.activePath !== null)
  if (!hasFile || figures === null) return null
  const { count, selected } = figures
  return (
    <PlainButton className="status-count" title={t('command.writing')} onClick={() => openWriting(store)}>
      <span>
        {selected.rows > 0
          ? t(`status.${unit}Selected`, { count: count[unit], selected: selected[unit] })
          : t(`status.${unit}`, { count: count[unit] })}
      </span>
      {unit === 'characters' && (
        <span className="status-wide">{t('status.pages', { count: pagesOf(count) })}</span>
      )}
      {total !== null && <span className="status-wide">{t('status.workTotal', { count: total })}</span>}
      {goal !== null && (
        <span className="status-wide">{t('status.today', { count: today, goal: goal.count })}</span>
      )}
    </PlainButton>
  )
}

function todayOf(progress: WritingProgress | undefined, unit: 'characters' | 'words'): number {
  const today = dayOf(Date.now())
  return progress?.days.find(({ date }) => date === today)?.[unit] ?? 0
}

function RunProgress() {
  const { t } = useWords()
  const view = useApp((state) => activeRun(state.runs))
  const isStarting = useApp((state) => state.runs.isStarting)
  const phase = usePhaseText(view, isStarting)
  const stop = useApp((state) => state.runs.stop)
  if (view === null) {
    if (!isStarting) return null
    return (
      <>
        <span className="late clip status-phase">{phase}</span>
        <Button variant="quiet" icon="stop" onClick={() => void stop()}>
          {t('action.stop')}
        </Button>
      </>
    )
  }
  const { figures } = view.run
  const share = progressOf(view)
  return (
    <>
      <span className="clip status-phase" role="status">
        {phase}
      </span>
      {view.run.phase === 'writing' && (
        <span className="status-wide">
          {t('status.tokens', { count: figures.completionTokens, max: figures.maxTokens })}
        </span>
      )}
      <Meter label={t('status.progress')} value={share} />
      {share !== null && (
        <span className="status-percent">
          {view.hint === 'estimated'
            ? t('status.estimate', { percent: percentText(t, share) })
            : percentText(t, share)}
        </span>
      )}
      {figures.tokensPerSecond !== null && view.run.phase === 'writing' && (
        <span className="status-wide">{speedText(t, figures.tokensPerSecond)}</span>
      )}
      <Button variant="quiet" icon="stop" onClick={() => void stop()}>
        {t('action.stop')}
      </Button>
    </>
  )
}

/** Tells screen readers that the continuation is there. */
function RunEnd() {
  const { t } = useWords()
  const run = useApp(({ runs, documents }) => {
    const takeId = runs.offers[documents.activePath ?? '']?.takeId
    return takeId === undefined ? undefined : runs.byTake[takeId]?.run
  })
  const watched = useRef<string | null>(null)
  const [ended, setEnded] = useState<string | null>(null)
  useEffect(() => {
    if (run?.state === 'running') {
      watched.current = run.takeId
      setEnded(null)
    } else if (run && watched.current === run.takeId && run.text !== '') {
      watched.current = null
      setEnded(t('run.ready', { count: countGraphemes(run.text) }))
    } else if (!run) setEnded(null)
  }, [run, t])
  return (
    <span className="visually-hidden" role="status">
      {ended}
    </span>
  )
}

/** Starts endless generation, beside *Stop*; while it runs, shows which take it is at. */
function Endless() {
  const { t } = useWords()
  const store = useAppStore()
  const command = commands.find(({ id }) => id === 'draft.endless')
  const isOffered = useApp((state) => command?.isEnabled(state) ?? false)
  const isOn = useApp((state) => isEndless(state.runs))
  const block = useApp((state) => state.runs.endless?.block ?? 1)
  const total = useApp((state) => state.runs.endless?.total)
  const together = useApp((state) => state.runs.endless?.together?.length ?? 0)
  const keys = useApp((state) => keysOfId('draft.endless', state)?.join('+') ?? '')
  const stop = useApp((state) => state.runs.stop)
  const hasRun = useApp((state) => activeRun(state.runs) !== null || state.runs.isStarting)
  if (!isOffered) return null
  return (
    <>
      {isOn && (
        <span className="status-wide">
          {together > 1
            ? t('run.together', { count: together })
            : total
              ? t('run.several', { nth: block, total })
              : t('run.endless', { nth: block, keys })}
        </span>
      )}
      {isOn && !hasRun && (
        <Button variant="quiet" icon="stop" onClick={() => void stop()}>
          {t('action.stop')}
        </Button>
      )}
      <Button
        variant="quiet"
        aria-label={t('command.draftEndless')}
        title={keys === '' ? t('command.draftEndless') : `${t('command.draftEndless')} (${keys})`}
        aria-pressed={isOn}
        onClick={() => command?.run(store)}
      >
        ∞
      </Button>
    </>
  )
}

/** Returns the progress of the phase: how much of the prompt was read, or of the allowed output is written. */
function progressOf({ run, progress }: RunView): number | null {
  if (run.phase !== 'writing') return progress
  return run.figures.maxTokens > 0 ? Math.min(1, run.figures.completionTokens / run.figures.maxTokens) : null
}

function StarterProgress() {
  const { t } = useWords()
  const status = useApp((state) => state.starter.status)
  if (status === null || !isStarterBusy(status)) return null
  const share = status.totalBytes > 0 ? status.receivedBytes / status.totalBytes : null
  return (
    <>
      <span role="status">{t(`starter.${status.state}` as 'starter.fetching')}</span>
      <Meter label={t('starter.fetching')} value={share} />
      {share !== null && <span className="status-percent">{percentText(t, share)}</span>}
    </>
  )
}

/** The run over summaries, whose dialog may be closed; a press opens it. */
function SummaryProgress() {
  const { t } = useWords()
  const making = useApp((state) => state.summaries.making)
  const open = useApp((state) => state.ui.open)
  if (making === null) return null
  return (
    <Button variant="quiet" onClick={() => open({ kind: 'summaries' })}>
      {t('status.summaries', { nth: making.index + 1, total: making.targets.length })}
    </Button>
  )
}

function ModelName() {
  const { t } = useWords()
  const status = useApp((state) => state.models.status)
  const isKnown = useApp((state) => state.models.isStatusKnown)
  const open = useApp((state) => state.ui.open)
  if (!isKnown) return null
  return (
    <PlainButton
      className={`status-model status-model-${status.state}`}
      aria-label={t('status.modelButton', { model: modelText(t, status) })}
      onClick={() => open({ kind: 'settings', section: 'models' })}
    >
      <i aria-hidden="true" />
      <span className="clip">{modelText(t, status)}</span>
    </PlainButton>
  )
}

/** Shows the step of the open session and its present activity. */
function SessionStatus() {
  const { t } = useWords()
  const state = useApp((app) => app.conversation.current?.state ?? null)
  if (state === null) return <span className="grow" />
  const { activity } = state
  return (
    <>
      <span role="status">{positionText(t, state)}</span>
      {state.queue.length > 0 && (
        <span className="status-wide">
          {t(state.isQueueHeld ? 'session.status.held' : 'session.status.queued', {
            count: state.queue.length,
          })}
        </span>
      )}
      <span className="grow" />
      {activity && (
        <>
          <span>
            {activity.waitMs === undefined
              ? t(`session.phase.${activity.phase}`)
              : t('session.phase.waiting', { seconds: Math.ceil(activity.waitMs / 1000) })}
          </span>
          {activity.progress !== null && <Meter label={t('status.progress')} value={activity.progress} />}
        </>
      )}
    </>
  )
}
