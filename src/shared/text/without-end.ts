/**
 * A text without those of `characters` that it ends with, in one pass: an expression for such a run before
 * the end is tried again at each place of each run of them, which takes the square of a long one. For white space there is `trimEnd`.
 *
 * Shape: `characters` are single UTF-16 units.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
