import type { PhaseHint, Run, RunEvent } from '../../../shared/domain/drafting/run.ts'

/**
 * A run as the window follows it.
 *
 * Shape: `seq` is the last event that is in; `progress` of the phase, 0 to 1, null where it cannot be told; `hint` says
 * what else is to be said about it.
 */
export type RunView = {
  run: Run
  seq: number
  progress: number | null
  hint: PhaseHint | null
}

export function viewRun(run: Run): RunView {
  return { run, seq: 0, progress: null, hint: run.hint ?? null }
}

/** Folds one event in. An event that is already in changes nothing. */
export function foldRun(view: RunView, event: RunEvent): RunView {
  if (event.type === 'snapshot')
    return { ...view, run: event.run, seq: event.seq, hint: event.run.hint ?? null }
  if (event.seq <= view.seq) return view
  const next = { ...view, seq: event.seq }
  switch (event.type) {
    case 'placed':
      return { ...next, run: { ...view.run, position: event.position, lead: event.lead } }
    case 'text':
      return { ...next, run: { ...view.run, text: view.run.text + event.text } }
    case 'replace':
      return { ...next, run: { ...view.run, text: event.text } }
    case 'uncertain':
      return { ...next, run: { ...view.run, uncertain: event.words } }
    case 'figures':
      return { ...next, run: { ...view.run, figures: event.figures } }
    case 'phase':
      return {
        ...next,
        progress: event.progress,
        hint: event.hint ?? null,
        run: { ...view.run, phase: event.phase },
      }
    case 'ended': {
      const { state, error, stopReason } = event
      return {
        ...next,
        progress: null,
        run: { ...view.run, state, error, ...(stopReason && { stopReason }) },
      }
    }
  }
}
