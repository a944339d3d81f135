import type { Run } from '../../../shared/domain/drafting/run.ts'
import type { MessageKey } from '../../../shared/i18n/translate.ts'

/** Returns the key of the text that says why a run that has finished has no text. */
export function noTextKey({ mode, ideaTarget, stopReason }: Run): MessageKey {
  if (mode === 'idea' && ideaTarget !== 'all') return 'ideas.noSection'
  if (stopReason === 'scaffolding') return 'toast.onlyHeadings'
  return stopReason === 'met' ? 'toast.onlyFollowing' : 'toast.nothingWritten'
}
