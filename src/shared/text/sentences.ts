import { isBlank } from './white-space.ts'

/** Units: half-open UTF-16 positions. */
export type Sentence = { from: number; to: number }

const JAPANESE_END = /[。！？!?…‥♪♡♥]/
const CLOSING = /[」』）】〉》］｝〕”’"')\]}]/
const ABBREVIATIONS = /(?:^|[^A-Za-z])(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|etc|e\.g|i\.e|cf|No|Vol|pp?|[A-Z])$/

/**
 * Returns the end of a text's first sentence, with its closing brackets and the LF or space that follows it.
 *
 * Blank lines before it belong to it; dialogue inside 「…」 counts as one sentence with what closes it.
 * Units: UTF-16 position; the text's length when nothing ends it.
 */
export function firstSentenceEnd(text: string, from = 0): number {
  let at = from
  while (at < text.length) {
    const lineEnd = text.indexOf('\n', at)
    const lineTo = lineEnd < 0 ? text.length : lineEnd
    const line = text.slice(at, lineTo)
    if (!isBlank(line)) {
      const end = endInLine(line)
      const to = at + end
      return end < line.length || lineEnd < 0 ? to : lineTo + 1
    }
    if (lineEnd < 0) break
    at = lineTo + 1
  }
  return text.length
}

/** Splits a text into sentences; together they are the whole text. */
export function splitSentences(text: string): Sentence[] {
  const sentences: Sentence[] = []
  for (let from = 0; from < text.length; ) {
    const to = firstSentenceEnd(text, from)
    sentences.push({ from, to })
    from = to
  }
  return sentences
}

function endInLine(line: string): number {
  let depth = 0
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i)
    if (/[「『（]/.test(character)) depth++
    if (/[」』）]/.test(character)) {
      depth = Math.max(0, depth - 1)
      if (depth === 0 && character !== '）' && isDialogueEnd(line, i)) return afterClosing(line, i + 1)
    }
    if (depth > 0) continue
    if (JAPANESE_END.test(character) && !isInnerMark(line, i)) return afterClosing(line, i + 1)
    if (character === '.' && isFullStop(line, i)) return afterClosing(line, i + 1)
  }
  return line.length
}

/** 「…」 that began the line and is followed by nothing, a space or other dialogue ends a sentence; 「…」と does not. */
function isDialogueEnd(line: string, at: number): boolean {
  const next = line.charAt(at + 1)
  return /^[\s　]*[「『]/.test(line) && (next === '' || /[\s　「『]/.test(next))
}

/** Runs such as ……, ！？ or a single … inside a sentence do not end it. */
function isInnerMark(line: string, at: number): boolean {
  const character = line.charAt(at)
  const next = line.charAt(at + 1)
  if (JAPANESE_END.test(next)) return true
  if (/[…‥]/.test(character)) return next !== '' && !CLOSING.test(next)
  if (/[!?]/.test(character)) return next !== '' && /[A-Za-z0-9]/.test(next)
  return false
}

function isFullStop(line: string, at: number): boolean {
  const next = line.charAt(at + 1)
  if (next === '.' || /[A-Za-z0-9,;]/.test(next)) return false
  return !ABBREVIATIONS.test(line.slice(Math.max(0, at - 6), at)) || next === ''
}

/** Takes closing brackets and one run of ASCII spaces with the sentence. */
function afterClosing(line: string, from: number): number {
  let to = from
  while (to < line.length && CLOSING.test(line.charAt(to))) to++
  while (line.charAt(to) === ' ') to++
  return to
}
