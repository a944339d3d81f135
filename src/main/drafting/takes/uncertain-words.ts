import type { WordSpan } from '../../../shared/domain/drafting/word-span.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'

/** Probability of a piece of the answer: a token, with a replacement character where it ends within a character. */
export type PieceChance = { text: string; share: number }

/** A word is uncertain where one of its tokens was less likely than this. */
const certainShare = 0.1
/** A broken token stands for one character at most. */
const broken = '\ufffd'

/**
 * Returns the words of a take with an unlikely token. Tokens are found in the text in order, from `from` on: text that
 * was cut, joined or undone has none, and a word without a token is not uncertain.
 *
 * Units: UTF-16.
 */
export function uncertainWords(text: string, from: number, pieces: readonly PieceChance[]): WordSpan[] {
  const unlikely = placed(text, from, pieces).filter(({ share }) => share < certainShare)
  if (unlikely.length === 0) return []
  const segmenter = new Intl.Segmenter(languageOfText(text) ?? 'ja', { granularity: 'word' })
  const words: WordSpan[] = []
  let next = 0
  for (const { index, segment, isWordLike } of segmenter.segment(text)) {
    const to = index + segment.length
    while (next < unlikely.length && (unlikely[next]?.to ?? 0) <= index) next += 1
    if (isWordLike && (unlikely[next]?.from ?? to) < to) words.push({ from: index, to })
  }
  return words
}

function placed(text: string, from: number, pieces: readonly PieceChance[]) {
  const found: (WordSpan & { share: number })[] = []
  // Joining a take removes blanks at its beginning: neither those that are left nor those of its tokens are compared.
  const first = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0)
  let at = first
  let gap = 0
  for (const { text: told, share } of pieces) {
    if (told === '' || told.includes(broken)) {
      gap += 1
      continue
    }
    const piece = at === first ? told.trimStart() : told
    if (piece === '') continue
    const distance = text.slice(at, at + gap + piece.length).indexOf(piece)
    if (distance < 0) continue
    const start = at + distance
    at = start + piece.length
    gap = 0
    // A word's token has the blank before it, which is no part of the word.
    found.push({ from: start + piece.length - piece.trimStart().length, to: at, share })
  }
  return found
}
