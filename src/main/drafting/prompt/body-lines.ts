import type { Span } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { isBlank, trimWhiteSpace } from '../../../shared/text/white-space.ts'

/** Returns the last lines with more than white space, last one first, at most `limit`. Units: UTF-16 positions. */
export function lastContentLines(text: string, limit: number): Span[] {
  const found: Span[] = []
  for (let to = text.length; to >= 0 && found.length < limit; ) {
    const from = lineStart(text, to)
    if (!isBlank(text.slice(from, to))) found.push({ from, to })
    to = from - 1
  }
  return found
}

/** The parts of a body that is to be continued. */
export type SplitBody = { main: string; tail: string; suffix: string }

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
