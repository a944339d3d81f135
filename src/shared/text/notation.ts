/**
 * A stretch of a manuscript line as a reader sees it. Units: half-open UTF-16 positions in the source, signs included.
 *
 * `text` is literal text, escapes taken out; `ruby` a word with its reading above it; `emphasis` a word with dots.
 */
export type NotationPiece =
  | { kind: 'text'; from: number; to: number; text: string }
  | { kind: 'ruby'; from: number; to: number; base: string; reading: string }
  | { kind: 'emphasis'; from: number; to: number; text: string }

/** A kanji; `々`, `〇` and `〻` count as ones. */
const kanji = '[\\p{Script=Han}〆]'

const signs = new RegExp(
  [
    '[｜|](?=《)(?<bracket>《)',
    '《《(?<dotted>[^《》\\n]+)》》',
    '[｜|](?<base>[^｜|《》\\n]+)《(?<reading>[^《》\\n]+)》',
    `(?<word>${kanji}+)《(?<above>[^《》\\n]+)》`,
  ].join('|'),
  'gu',
)

/**
 * Reads ruby and emphasis: `｜親《るび》`, `|親《るび》`, `親《るび》` where the word before is kanji alone, dots by
 * `《《…》》`, and `｜《` for a literal `《`. Nothing goes beyond a line; what is not closed is text.
 *
 * Shape: pieces in order, without a gap.
 * Source: https://kakuyomu.jp/help/entry/notation, which is the notation of manuscripts here. Its limits of length
 * are those of the site (`site-text.ts`), not of the notation.
 */
export function readNotation(source: string): NotationPiece[] {
  const pieces: NotationPiece[] = []
  let at = 0
  for (const match of source.matchAll(signs)) {
    const { bracket, dotted, base, reading, word, above } = match.groups ?? {}
    const span = { from: match.index, to: match.index + match[0].length }
    if (span.from > at) addText(pieces, { from: at, to: span.from }, source.slice(at, span.from))
    at = span.to
    if (bracket !== undefined) addText(pieces, span, bracket)
    else if (dotted !== undefined) pieces.push({ kind: 'emphasis', ...span, text: dotted })
    else pieces.push({ kind: 'ruby', ...span, base: base ?? word ?? '', reading: reading ?? above ?? '' })
  }
  if (at < source.length) addText(pieces, { from: at, to: source.length }, source.slice(at))
  return pieces
}

/** The words alone, without readings and signs. */
export function wordsOf(source: string): string {
  return readNotation(source)
    .map((piece) => (piece.kind === 'ruby' ? piece.base : piece.text))
    .join('')
}

export function isKanji(character: string): boolean {
  return /^[\p{Script=Han}〆]$/u.test(character)
}

function addText(pieces: NotationPiece[], { from, to }: { from: number; to: number }, text: string): void {
  const last = pieces.at(-1)
  if (last?.kind === 'text') {
    last.text += text
    last.to = to
  } else pieces.push({ kind: 'text', from, to, text })
}
