/**
 * Removes those of `characters` that a text ends with, in one pass: a regular expression for such a run is tried
 * again at each position of every run, which takes quadratic time for a long one. For white space there is `trimEnd`.
 *
 * Shape: `characters` are single UTF-16 units.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
