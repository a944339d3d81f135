import type { PhaseHint, Run, RunEvent } from '../../../shared/domain/drafting/run.ts'

/**
 * A run as the window follows it.
 *
 * Shape: `seq` is the last event that is in; `progress` of the phase, 0 to 1, null where it cannot be told; `hint` says
 * what else is to be said about it.
 * Units: `readingMs` is how long the model read the prompt, null until it has; milliseconds.
 */
export type RunView = {
  run: Run
  seq: number
  progress: number | null
  hint: PhaseHint | null
  readingSince: number | null
  readingMs: number | null
}

export function viewRun(run: Run): RunView {
  return { run, seq: 0, progress: null, hint: null, readingSince: null, readingMs: null }
}

/** Folds one event in; `now` dates the phases. An event that is already in changes nothing. */
export function foldRun(view: RunView, event: RunEvent, now: number): RunView {
  if (event.type === 'snapshot') return { ...view, run: event.run, seq: event.seq }
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
    case 'phase': {
      const isReadingBegun = event.phase === 'reading' && view.readingSince === null
      const isWritingBegun =
        event.phase === 'writing' && view.readingSince !== null && view.readingMs === null
      return {
        ...next,
        progress: event.progress,
        hint: event.hint ?? null,
        run: { ...view.run, phase: event.phase },
        readingSince: isReadingBegun ? now : view.readingSince,
        readingMs: isWritingBegun ? now - (view.readingSince ?? now) : view.readingMs,
      }
    }
    case 'ended':
      return { ...next, progress: null, run: { ...view.run, state: event.state, error: event.error } }
  }
}

/** Fewer new tokens than this say more about delays than about reading. */
const leastTokensToJudge = 64

/** Returns how fast the model reads, from a run that had enough to read. Units: tokens per second. */
export function readSpeed(view: RunView): number | null {
  const { promptTokens, reusedTokens } = view.run.figures
  if (promptTokens === null || view.readingMs === null || view.readingMs === 0) return null
  const readTokens = promptTokens - (reusedTokens ?? 0)
  return readTokens < leastTokensToJudge ? null : readTokens / (view.readingMs / 1000)
}
