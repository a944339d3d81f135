import type { ErrorInfo } from '../../../shared/errors.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import type { PendingContinuation, PendingPhase } from '../../editor/editor-types.ts'
import type { AppState } from '../../state/app-state.ts'
import type { RunView } from '../../state/run-reducer.ts'

type Parts = Pick<AppState, 'runs' | 'takes'>

/** What the editor shows at the place of a file's open offer, from its run or, after a restart, its take. */
export function pendingView(
  { runs, takes }: Parts,
  path: string | null,
  t: Translate,
  errorText: (info: ErrorInfo) => string,
): PendingContinuation | null {
  const offer = path === null ? undefined : runs.offers[path]
  if (!offer) return null
  const view = runs.byTake[offer.takeId]
  if (view) {
    const { takeId, position, lead, text, error } = view.run
    const note = error ? errorText(error) : waitingNote(view, t)
    return { id: takeId, position, lead, text, phase: phaseOf(view), ...(note ? { note } : {}) }
  }
  const take = takes.list.find((one) => one.takeId === offer.takeId)
  if (!take || take.text === '') return null
  const { takeId, position, lead, text } = take
  return { id: takeId, position, lead, text, phase: 'finished' }
}

function phaseOf({ run }: RunView): PendingPhase {
  if (run.state === 'running') return run.text === '' ? 'waiting' : 'writing'
  if (run.state === 'finished') return 'finished'
  return run.state === 'failed' ? 'failed' : 'stopped'
}

function waitingNote({ run, progress, hint }: RunView, t: Translate): string | null {
  if (run.state === 'interrupted') return t('run.interrupted')
  if (run.state !== 'running' || run.phase === 'writing') return null
  if (run.phase === 'reading' && progress !== null) {
    return t(hint === 'estimated' ? 'run.readingEstimate' : 'run.readingShare', {
      percent: Math.round(progress * 100),
    })
  }
  return t(hint === 'silent' ? 'run.countingSilent' : `run.${run.phase}`)
}
