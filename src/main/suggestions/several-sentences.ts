import { anyOf, cjkLetter } from './phrase-pattern.ts'
import type { SuggestionWords } from './suggestion-words.ts'

/** Closing marks with quotes or brackets behind them, white space, and a next sentence. */
const spacedEnd = /(?<![.!?…])([.!?…]+)["'”’»)\]}」』）】]*\s+(?=[\p{L}\p{N}])/gu
/** End of a sentence without a space behind it. 「待って！」と is no end: the sentence continues. */
const wideEnd = /[。｡！？]\s*[\p{L}\p{N}「『（【(["'“‘]/u

/** Returns a test for texts of more than one sentence. Source: `docs/decisions/suggestions.md`, rule 11. */
export function createSeveralSentences(words: SuggestionWords): (text: string) => boolean {
  const begin = '(?:^|[^\\p{L}\\p{N}])'
  const letter = `[\\p{L}--${cjkLetter}]`
  const abbreviated = new RegExp(`${begin}(?:${anyOf(words.abbreviations)}|${letter})\\.$`, 'iv')
  const numbered = new RegExp(`${begin}${anyOf(words.numberAbbreviations)}\\.$`, 'iv')
  const listed = /^\d+\.$/

  return (text) => {
    if (wideEnd.test(text)) return true
    for (const { index, 0: whole, 1: marks = '' } of text.matchAll(spacedEnd)) {
      if (marks !== '.') return true
      const before = text.slice(0, index + 1)
      const isBeforeDigit = /\p{N}/u.test(text.charAt(index + whole.length))
      if (abbreviated.test(before) || listed.test(before)) continue
      if (!(isBeforeDigit && numbered.test(before))) return true
    }
    return false
  }
}
