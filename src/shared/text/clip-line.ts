import { clipGraphemes, countGraphemes } from './graphemes.ts'

/**
 * Makes one line of a text, at most `limit` long: line ends become spaces, the ends are trimmed, and a text
 * that is too long loses its tail for `…`.
 *
 * Units: graphemes; the `…` counts.
 */
export function clipLine(text: string, limit: number): string {
  const line = text.replace(/[\r\n\u2028\u2029\v\f\u0085]+/g, ' ').trim()
  if (countGraphemes(line) <= limit) return line
  return `${clipGraphemes(line, limit - 1).trimEnd()}…`
}

/** True for what `clipLine` leaves as it is. */
export function isClippedLine(text: string, limit: number): boolean {
  return clipLine(text, limit) === text
}
