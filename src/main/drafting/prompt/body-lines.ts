import type { DraftMode } from '../../../shared/domain/drafting/draft-details.ts'
import type { Span } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { isBlank, trimWhiteSpace } from '../../../shared/text/white-space.ts'

/** Returns the last lines with more than white space, last one first, at most `limit`. Units: UTF-16 positions. */
function lastContentLines(text: string, limit: number): Span[] {
  const found: Span[] = []
  for (let to = text.length; to >= 0 && found.length < limit; ) {
    const from = lineStart(text, to)
    if (!isBlank(text.slice(from, to))) found.push({ from, to })
    to = from - 1
  }
  return found
}

type SplitBody = { main: string; tail: string; suffix: string }

/** Units: physical lines; blank ones count. */
const TAIL_LINES = 3

/**
 * Splits a body that is to be continued: what is told, the last lines before the answer, and what the answer continues.
 *
 * A complete body has no suffix and loses what follows its last line with content; else that line, trimmed, is
 * the suffix, and the tail ends at the last line with content before it.
 * Source: *Novel prompts* 2.6.2.
 */
export function splitBody(body: string, isComplete: boolean): SplitBody {
  if (isComplete) return { ...splitTail(body), suffix: '' }
  const [last] = lastContentLines(body, 1)
  if (last === undefined) return { main: '', tail: '', suffix: '' }
  const before = last.from === 0 ? '' : body.slice(0, last.from - 1)
  return { ...splitTail(before), suffix: trimWhiteSpace(body.slice(last.from, last.to)) }
}

function splitTail(text: string): { main: string; tail: string } {
  const [last] = lastContentLines(text, 1)
  if (last === undefined) return { main: text, tail: '' }
  let from = last.from
  for (let lines = 1; lines < TAIL_LINES && from > 0; lines++) from = lineStart(text, from - 1)
  return { main: from === 0 ? '' : text.slice(0, from - 1), tail: text.slice(from, last.to) }
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

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

/**
 * Tells whether a body ends with a whole sentence.
 *
 * Exactly the seed's rule: without trailing ASCII spaces and tabs the body ends with 。 or 」, or it ends with LF.
 * `isExtended` (the user's choice) also accepts ！？…』）♪ and a full-width space.
 */
export function isSentenceComplete(body: string, isExtended: boolean): boolean {
  if (body.endsWith('\n')) return true
  let to = body.length
  while (to > 0 && (body[to - 1] === ' ' || body[to - 1] === '\t')) to--
  const last = body.charAt(to - 1)
  return last !== '' && (isExtended ? '。」！？…』）♪　' : '。」').includes(last)
}
