import { onFirstUse } from '../../first-use.ts'

const segmenter = onFirstUse(() => new Intl.Segmenter('und', { granularity: 'grapheme' }))

/** Longer texts are compared by their beginnings. Units: graphemes. */
const longest = 1_000

/** Returns 1 − edit distance ÷ longer length, in graphemes: 0 … 1; two empty texts are the same. */
export function textSimilarity(a: string, b: string): number {
  const [left, right] = [graphemes(a), graphemes(b)]
  const length = Math.max(left.length, right.length)
  return length === 0 ? 1 : 1 - editDistance(left, right) / length
}

function graphemes(text: string): string[] {
  return Array.from(segmenter().segment(text), ({ segment }) => segment).slice(0, longest)
}

function editDistance(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (const [i, mine] of a.entries()) {
    const next = [i + 1]
    for (const [j, theirs] of b.entries()) {
      const replaced = (row[j] ?? 0) + (mine === theirs ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Returns the length of the common beginning of two texts or lists. Units: UTF-16, elements. */
export function sharedLength(left: ArrayLike<unknown>, right: ArrayLike<unknown>): number {
  const end = Math.min(left.length, right.length)
  let length = 0
  while (length < end && left[length] === right[length]) length += 1
  return length
}

/** Returns the lengths of the common beginning and, of what is left, the common end. Units: as `sharedLength`. */
export function commonEnds(
  left: ArrayLike<unknown>,
  right: ArrayLike<unknown>,
): { head: number; tail: number } {
  const head = sharedLength(left, right)
  const limit = Math.min(left.length, right.length) - head
  let tail = 0
  while (tail < limit && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1
  return { head, tail }
}
