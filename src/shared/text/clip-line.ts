import { clipGraphemes, countGraphemes } from './graphemes.ts'

/** The most UTF-16 units per grapheme; the emoji of a family of four has eleven. */
const unitsOfGrapheme = 16

/**
 * Makes one line of a text, at most `limit` long: line ends become spaces, the ends are trimmed, and a text
 * that is too long loses its tail for `…`.
 *
 * Units: graphemes; the `…` counts. One grapheme may have any number of marks: a text of more than sixteen UTF-16 units
 * for each is too long as well.
 */
export function clipLine(text: string, limit: number): string {
  const line = text.replace(/[\r\n\u2028\u2029\v\f\u0085]+/g, ' ').trim()
  const limitUnits = limit * unitsOfGrapheme
  if (line.length <= limitUnits && countGraphemes(line) <= limit) return line
  const head = line.slice(0, Math.max(0, limitUnits - 1)).replace(/[\ud800-\udbff]$/, '')
  return `${clipGraphemes(head, limit - 1).trimEnd()}…`
}

/** Returns true for a text that `clipLine` leaves as it is. */
export function isClippedLine(text: string, limit: number): boolean {
  return clipLine(text, limit) === text
}
