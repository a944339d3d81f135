import type { Take } from '../../../shared/domain/drafting/take.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import type { PendingContinuation, PendingPhase } from '../../editor/editor-types.ts'
import type { AppState } from '../../state/app-state.ts'
import { keysOfId } from '../../state/commands/commands.ts'
import type { RunView } from '../../state/reducers/run-reducer.ts'
import { phaseText } from '../../state/reducers/run-words.ts'
import { activeRun, isEndless, placeTakes } from '../../state/slices/work/runs-slice.ts'

type Parts = Pick<AppState, 'runs' | 'takes' | 'connection' | 'settings'>

/** Returns what the editor shows at the place of a file's open offer, from its run or, after a restart, its take. */
export function pendingView(
  { runs, takes, connection, settings }: Parts,
  path: string | null,
  t: Translate,
  errorText: (info: ErrorInfo) => string,
): PendingContinuation | null {
  const offer = path === null ? undefined : runs.offers[path]
  if (!offer) return null
  const place = placeTakes({ runs, takes }, offer.takeId)
  const total = Math.max(1, place.length)
  const nth = Math.max(1, place.findIndex((one) => one.takeId === offer.takeId) + 1)
  const endless = isEndless(runs) && runs.endless?.path === path ? runs.endless : null
  const isPlaceRunning = endless !== null || runs.isStarting || activeRun(runs)?.run.path === path
  const endlessKeys = () => keysOfId('draft.endless', { connection, settings })?.join('+') ?? ''
  const endlessNote =
    endless &&
    (endless.together && endless.together.length > 1
      ? t('run.together', { count: endless.together.length })
      : endless.total
        ? t('run.several', { nth: endless.block, total: endless.total })
        : t('run.endless', { nth: endless.block, keys: endlessKeys() }))
  const view = runs.byTake[offer.takeId]
  const take = view?.run ?? takes.list.find((one) => one.takeId === offer.takeId)
  if (!take || (!view && take.text === '')) return null
  const { takeId, position, placeFrom, lead, text } = take
  const marks = marksOf(take, settings)
  const waiting = view && waitingNote(view, t)
  const another = waiting && nth > 1 && !endless ? t('run.another', { nth }) : null
  const note = view?.run.error
    ? errorText(view.run.error)
    : [endlessNote, another, waiting, marks && t('editor.uncertain')].filter(Boolean).join(' · ')
  return {
    id: takeId,
    placeId: take.placeId || takeId,
    position,
    ...(placeFrom !== undefined && { from: placeFrom }),
    lead,
    text,
    phase: view ? phaseOf(view) : 'finished',
    nth,
    total,
    isPlaceRunning,
    ...(note && { note }),
    ...(marks && { marked: marks }),
  }
}

/** Returns the uncertain words, where there are some and the author wants to see them. */
function marksOf(take: Pick<Take, 'uncertain'>, settings: Parts['settings']) {
  const { uncertain = [] } = take
  return uncertain.length > 0 && settings.value.drafting.marksUncertain ? uncertain : null
}

function phaseOf({ run }: RunView): PendingPhase {
  if (run.state === 'running') return run.text === '' ? 'waiting' : 'writing'
  if (run.state === 'finished') return 'finished'
  return run.state === 'failed' ? 'failed' : 'stopped'
}

function waitingNote(view: RunView, t: Translate): string | null {
  const { run, progress, hint } = view
  if (run.state === 'interrupted') return t('run.interrupted')
  if (run.stopReason === 'replaced') return t('takes.ended.replaced')
  if (run.state !== 'running' || run.phase === 'writing') return null
  if (run.phase === 'reading' && progress !== null) {
    return t(hint === 'estimated' ? 'run.readingEstimate' : 'run.readingShare', {
      percent: Math.round(progress * 100),
    })
  }
  return hint === 'silent' ? t('run.countingSilent') : phaseText(t, view)
}
