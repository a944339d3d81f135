import { AppError } from '../../shared/errors.ts'
import { readManuscript, type Span } from '../../shared/text/manuscript/manuscript-marks.ts'
import { splitSentences } from '../../shared/text/sentences.ts'
import type { ActiveModel } from '../models/profiles/active-model.ts'
import { estimateTextTokens } from '../tokens/token-estimate.ts'

/** Returns the source with spaces for what never reaches a model, so that positions stay. */
export function withoutMarks(source: string): string {
  let text = ''
  let at = 0
  for (const { from, to } of readManuscript(source).marks) {
    if (to <= at) continue
    const start = Math.max(at, from)
    text += source.slice(at, start) + source.slice(start, to).replace(/[^\n]/g, ' ')
    at = to
  }
  return text + source.slice(at)
}

/** Cuts a text into pieces of at most `limitChars`, at line ends where there is one. Units: UTF-16. */
export function pieceText(text: string, limitChars: number): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + limitChars)
    if (to < text.length) {
      const lineEnd = text.lastIndexOf('\n', to - 1) + 1
      if (lineEnd > from) to = lineEnd
      // A surrogate pair stays whole.
      else if (/[\ud800-\udbff]/.test(text[to - 1] ?? '') && to - 1 > from) to -= 1
    }
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces.filter((piece) => piece.trim() !== '')
}

const answerShare = 0.25
/** Share of the remaining context that a piece may fill: token counts of pieces are not exact. */
const roomShare = 0.85
/** Least room that is worth a request. Units: tokens. */
const leastRoomTokens = 100

/**
 * Returns how much of a source one request has room for, and how long its answer may be. `answers`: number of answers
 * in the context, the one that is sent with the source included.
 *
 * Units: `chars` UTF-16. Errors: `model/context-overflow` where not even a short piece fits; `model/context-unknown`.
 */
export async function pieceSize(
  { client }: ActiveModel,
  request: { source: string; words: string; mostAnswerTokens: number; answers: number },
  signal: AbortSignal,
): Promise<{ chars: number; answerTokens: number }> {
  const { source, words, mostAnswerTokens, answers } = request
  const context = await client.contextWindow(signal)
  if (context === null) throw new AppError({ code: 'model/context-unknown' })
  const answerTokens = Math.min(mostAnswerTokens, Math.trunc(context.tokens * answerShare))
  const room = context.tokens - estimateTextTokens(words) - answers * answerTokens
  if (room < leastRoomTokens) {
    throw new AppError({
      code: 'model/context-overflow',
      usedTokens: context.tokens - room + leastRoomTokens,
      limitTokens: context.tokens,
    })
  }
  const counted =
    client.countTokens === null ? 0 : await client.countTokens(source, signal, { isPiece: true })
  const tokens = counted > 0 ? counted : estimateTextTokens(source)
  const chars = Math.floor((source.length * room * roomShare) / Math.max(1, tokens))
  return { chars: Math.max(leastRoomTokens, chars), answerTokens }
}

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
