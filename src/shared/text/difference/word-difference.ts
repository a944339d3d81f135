import { diffArrays } from 'diff'

/** A stretch of one of two texts: also in the other one, or only in this one. */
export type ComparedPiece = { text: string; isOnlyHere: boolean }

/** Shape: `before` and `after` joined are the texts; null where the texts have too little in common to be marked. */
export type WordDifference = { before: ComparedPiece[]; after: ComparedPiece[] } | null

/** The lowest share of common words: below it nearly all would be marked. */
const leastCommonShare = 0.25

/** The most changed words that are searched for: the time grows with their square. */
const mostChangedWords = 2_000

/**
 * Compares two texts word by word; `language` defines the words. Letters within a changed word are not compared.
 */
export function wordDifference(before: string, after: string, language: 'ja' | 'en'): WordDifference {
  const oldWords = wordsOf(before, language)
  const newWords = wordsOf(after, language)
  const changes = diffArrays(oldWords, newWords, { maxEditLength: mostChangedWords })
  if (changes === undefined) return null
  const common = changes.filter(({ added, removed }) => !added && !removed)
  const commonLength = common.reduce((sum, { value }) => sum + value.join('').trim().length, 0)
  const longest = Math.max(before.trim().length, after.trim().length)
  if (longest > 0 && commonLength < leastCommonShare * Math.min(before.trim().length, after.trim().length))
    return null
  const side = (other: 'added' | 'removed') =>
    changes
      .filter((change) => !change[other])
      .map(({ value, added, removed }) => ({ text: value.join(''), isOnlyHere: added || removed }))
  return { before: side('added'), after: side('removed') }
}

/** Splits a text into words, white space and signs; joined, they are the text. */
function wordsOf(text: string, language: 'ja' | 'en'): string[] {
  return [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)].map(
    ({ segment }) => segment,
  )
}
