import { countGraphemes } from '../graphemes.ts'
import { diffHunks, linesOf } from './hunks.ts'
import { type ComparedPiece, wordDifference } from './word-difference.ts'

/** Words that replaced others. */
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
