import type { DraftMode } from '../../../shared/domain/drafting/draft-details.ts'
import { lastContentLines } from './body-lines.ts'

export type DraftTask = 'GEN_INFO' | 'GEN_ZERO' | 'CONT_INFO' | 'CONT_ZERO' | 'IDEA_INFO' | 'IDEA_ZERO'

/** Least length of a body that is continued instead of begun. Units: lines with content. */
const LINES_TO_CONTINUE = 4

/** Decides what the model is asked to do. Shape: `body` is what is left of it after the cut. */
export function draftTask(mode: DraftMode, body: string, metadata: string): DraftTask {
  const kind = mode === 'idea' ? 'IDEA' : isContinued(body) ? 'CONT' : 'GEN'
  return metadata === '' ? `${kind}_ZERO` : `${kind}_INFO`
}

export function isContinued(body: string): boolean {
  return lastContentLines(body, LINES_TO_CONTINUE).length === LINES_TO_CONTINUE
}
