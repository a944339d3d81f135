import { countGraphemes } from './graphemes.ts'
import { isWhiteSpace } from './white-space.ts'

/**
 * Counts the characters of a manuscript as authors do: what a reader sees, without spaces and line ends.
 *
 * Units: graphemes. A million characters take a few milliseconds: only lines with combining signs, emoji and
 * the like are segmented.
 */
export function countCharacters(text: string): number {
  let count = 0
  for (let from = 0; from <= text.length; ) {
    const lineEnd = text.indexOf('\n', from)
    const to = lineEnd < 0 ? text.length : lineEnd
    const isCrlf = to > from && text[to - 1] === '\r'
    count += countInLine(text.slice(from, isCrlf ? to - 1 : to))
    from = to + 1
  }
  return count
}

function countInLine(line: string): number {
  let spaces = 0
  for (let i = 0; i < line.length; i++) if (isWhiteSpace(line.charCodeAt(i))) spaces++
  return countGraphemes(line) - spaces
}
