import { findNotation } from './ruby.ts'

/**
 * A stretch of a manuscript line as a reader sees it. Units: half-open UTF-16 positions in the source, signs included.
 *
 * `text` is literal text, escapes taken out; `ruby` a word with its reading above it; `emphasis` a word with dots.
 */
export type NotationPiece =
  | { kind: 'text'; from: number; to: number; text: string }
  | { kind: 'ruby'; from: number; to: number; base: string; reading: string }
  | { kind: 'emphasis'; from: number; to: number; text: string }

/**
 * Reads ruby and emphasis: `｜親《るび》`, `|親《るび》`, `親《るび》` where the word before is kanji alone, dots by
 * `《《…》》`, and `｜《` for a literal `《`. No sign extends beyond a line; an unclosed sign is text.
 *
 * Shape: pieces in order, without a gap.
 * Source: https://kakuyomu.jp/help/entry/notation, which is the notation of manuscripts here. Its limits of length
 * are those of the site (`site-text.ts`), not of the notation.
 */
export function readNotation(source: string): NotationPiece[] {
  const pieces: NotationPiece[] = []
  let at = 0
  for (const mark of findNotation(source)) {
    const span = { from: mark.from, to: mark.to }
    const base = source.slice(mark.base.from, mark.base.to)
    if (span.from > at) addText(pieces, { from: at, to: span.from }, source.slice(at, span.from))
    at = span.to
    if (mark.kind === 'ruby') {
      const reading = source.slice(mark.reading.from, mark.reading.to)
      pieces.push({ kind: 'ruby', ...span, base, reading })
    } else if (mark.kind === 'emphasis') pieces.push({ kind: 'emphasis', ...span, text: base })
    else addText(pieces, span, base)
  }
  if (at < source.length) addText(pieces, { from: at, to: source.length }, source.slice(at))
  return pieces
}

function addText(pieces: NotationPiece[], { from, to }: { from: number; to: number }, text: string): void {
  const last = pieces.at(-1)
  if (last?.kind === 'text') {
    last.text += text
    last.to = to
  } else pieces.push({ kind: 'text', from, to, text })
}
