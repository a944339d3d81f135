import type { Span } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { splitSentences } from '../../../shared/text/sentences.ts'
import { pieceText } from '../piece-text.ts'

/** Sentences on each side of a mention that are read with it. */
const nearSentences = 2

/**
 * Returns the sentences around places of a text, joined where they meet, in pieces of at most `limitChars` characters.
 *
 * Units: half-open UTF-16 positions, in order.
 */
export function passagesAround(text: string, places: readonly Span[], limitChars: number): Span[] {
  const sentences = splitSentences(text)
  const passages: Span[] = []
  let index = 0
  for (const place of places) {
    while (index < sentences.length - 1 && (sentences[index]?.to ?? 0) <= place.from) index++
    const from = sentences[Math.max(0, index - nearSentences)]?.from ?? 0
    const to = sentences[Math.min(sentences.length - 1, index + nearSentences)]?.to ?? text.length
    const last = passages.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else passages.push({ from, to })
  }
  return passages.flatMap(({ from, to }) => cut(text, sentences, { from, to }, limitChars))
}

function cut(text: string, sentences: readonly Span[], whole: Span, limitChars: number): Span[] {
  const pieces: Span[] = []
  for (const sentence of sentences) {
    if (sentence.from < whole.from || sentence.to > whole.to) continue
    const last = pieces.at(-1)
    if (last !== undefined && sentence.to - last.from <= limitChars) last.to = sentence.to
    else if (sentence.to - sentence.from <= limitChars) pieces.push({ ...sentence })
    else pieces.push(...cutSentence(text, sentence, limitChars))
  }
  return pieces
}

function cutSentence(text: string, { from, to }: Span, limitChars: number): Span[] {
  const pieces: Span[] = []
  let at = from
  for (const piece of pieceText(text.slice(from, to), limitChars)) {
    const start = text.indexOf(piece, at)
    pieces.push({ from: start, to: start + piece.length })
    at = start + piece.length
  }
  return pieces
}
