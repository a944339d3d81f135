import type { LineRange } from '../../../shared/domain/session/message-segment.ts'
import { isReferencePlace } from '../../../shared/text/paths/file-references.ts'

/** An unfinished reference `@…` at the caret; `path` without quote and lines. Units: UTF-16, `[from, to)`. */
export type ReferenceQuery = { from: number; to: number; path: string; range: LineRange | null }

/** Longest path that is completed while it is typed. Units: UTF-16 units. */
const longestPath = 400

const begunRange = /#L(?:([1-9]\d{0,6})(?:-L?([1-9]\d{0,6})?)?)?$/
const wholeRange = /^#L([1-9]\d{0,6})(?:-L?([1-9]\d{0,6}))?(?![\w/]|[.-]\w)/
/** Characters that end a path without quotes, with those that stand for a chip. */
const endOfBare = /[\s"<>|*?\p{Cc}\uE000\uE001]/u
const endOfQuoted = /["\p{Cc}\uE000\uE001]/u
const chipEnd = '\uE001'

/** Finds the reference that is being typed at the caret. Null where there is none. */
export function referenceQuery(text: string, caret: number): ReferenceQuery | null {
  const start = text.lastIndexOf('\n', caret - 1) + 1
  const line = text.slice(start, caret)
  let at = line.lastIndexOf('@')
  while (at >= 0) {
    const before = line[at - 1] ?? ''
    const read = isReferencePlace(before) || before === chipEnd ? readBegun(line.slice(at + 1)) : null
    if (read !== null) return { from: start + at, to: caret, ...read }
    at = at === 0 ? -1 : line.lastIndexOf('@', at - 1)
  }
  return null
}

/** Reads a line range that is typed right behind a chip, and its length in the text. */
export function rangeBehind(text: string): { range: LineRange; length: number } | null {
  const match = wholeRange.exec(text)
  const range = readRange(match?.[1], match?.[2])
  return match === null || range === null ? null : { range, length: match[0].length }
}

/** Returns the text of a folder's reference while the user goes on typing inside it. */
export function begunFolder(path: string): string {
  return endOfBare.test(path) ? `@"${path}` : `@${path}`
}

function readBegun(typed: string): Pick<ReferenceQuery, 'path' | 'range'> | null {
  const isQuoted = typed.startsWith('"')
  const whole = isQuoted ? typed.slice(1) : typed
  if ((isQuoted ? endOfQuoted : endOfBare).test(whole) || whole.length > longestPath) return null
  const lines = begunRange.exec(whole)
  return {
    path: lines === null ? whole : whole.slice(0, lines.index),
    range: readRange(lines?.[1], lines?.[2]),
  }
}

/** Reads a line range; its two lines may stand in either order. */
function readRange(first: string | undefined, second: string | undefined): LineRange | null {
  if (first === undefined) return null
  const ends = [Number(first), Number(second ?? first)]
  return { from: Math.min(...ends), to: Math.max(...ends) }
}
