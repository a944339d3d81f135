import { diffArrays } from 'diff'
import { countGraphemes } from '../graphemes.ts'
import { diffHunks, linesOf } from './hunks.ts'

/** A stretch of one of two texts: also in the other one, or only in this one. */
export type ComparedPiece = { text: string; isOnlyHere: boolean }

/** Shape: `before` and `after` joined are the texts; null where the texts have too little in common to be marked. */
type WordDifference = { before: ComparedPiece[]; after: ComparedPiece[] } | null

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

export type Replacement = { from: string; to: string }

/** The longest replacement: a longer one is another text, not another word. Units: graphemes. */
const longest = 30
/** The most replacements of a text: one with more was rewritten. */
const mostReplacements = 20

/**
 * Returns the words of `written` that `now` has replaced, each pair once. Only lines that `before` does not have
 * count, since those were written; a line that is again as in `before` was reverted and does not count.
 */
export function replacedWords(before: string, written: string, now: string): Replacement[] {
  const known = new Set(linesOf(before))
  const found = new Map<string, Replacement>()
  for (const { oldLines, newLines } of diffHunks(written, now)) {
    if (oldLines.length !== newLines.length) continue
    for (const [at, line] of oldLines.entries()) {
      const changed = newLines[at] ?? ''
      if (known.has(line) || known.has(changed)) continue
      for (const pair of pairsOf(line, changed)) found.set(JSON.stringify(pair), pair)
    }
  }
  return found.size > mostReplacements ? [] : [...found.values()]
}

function pairsOf(before: string, after: string): Replacement[] {
  const difference = wordDifference(before, after, 'ja')
  if (difference === null) return []
  const removed = gapsOf(difference.before)
  const added = gapsOf(difference.after)
  return removed
    .map((from, at) => ({ from: from.trim(), to: (added[at] ?? '').trim() }))
    .filter(({ from, to }) => isTelling(from) && isTelling(to))
}

/** Returns the texts between the pieces that both texts have, in order. */
function gapsOf(pieces: readonly ComparedPiece[]): string[] {
  const gaps = ['']
  for (const { text, isOnlyHere } of pieces) {
    if (isOnlyHere) gaps.push((gaps.pop() ?? '') + text)
    else gaps.push('')
  }
  return gaps
}

/** Rejects numbers and single letters or kana: they are changed for many reasons. Rejects long texts, too. */
function isTelling(words: string): boolean {
  if (words === '' || countGraphemes(words) > longest) return false
  return !/^(?:[\p{N}\s.,]+|[\p{Script=Latin}\p{Script=Hiragana}\p{Script=Katakana}])$/u.test(words)
}
