import type { Run } from '../../../shared/domain/drafting/run.ts'
import type { MessageKey, Translate } from '../../../shared/i18n/translate.ts'
import type { RunView } from './run-reducer.ts'

export function phaseText(t: Translate, { run, hint }: RunView): string {
  return t(hint === 'silent' ? 'run.silent' : `run.${run.phase}`)
}

/** True where a window must say that a run ended without a text; `hasNotice`: about endless generation. */
export function isEndUnsaid({ state, stopReason }: Run, hasNotice: boolean): boolean {
  return stopReason === 'replaced' || (state === 'finished' && !hasNotice)
}

/** Returns the key of the text that says why a run that has ended has no text. */
export function noTextKey({ mode, ideaTarget, stopReason }: Run): MessageKey {
  if (stopReason === 'replaced') return 'toast.modelReplaced'
  if (mode === 'idea' && ideaTarget !== 'all') return 'ideas.noSection'
  if (stopReason === 'scaffolding') return 'toast.onlyHeadings'
  return stopReason === 'met' ? 'toast.onlyFollowing' : 'toast.nothingWritten'
}
