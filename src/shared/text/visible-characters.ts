/** A stretch of a text as it is, or one invisible character with its code (`U+202E`). */
export type VisiblePiece = { kind: 'text'; text: string } | { kind: 'mark'; text: string; code: string }

/**
 * Characters that are invisible, or reverse the text around them: controls, bidi marks and overrides, zero-width and
 * soft characters, fillers, tags, unusual spaces, lone surrogates. Excluded are tab, LF, the two spaces that people
 * type, and the selectors that choose a form of the letter before them.
 */
const unseen =
  '[[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Zs}\\p{DI}]--[\\t\\n \\u3000\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]]'

/** Joiners belong to letters of many scripts and to emoji; between Latin letters and signs they are only hidden. */
const joinerInAscii = '(?<=^|[\\p{ASCII}])[\\u200c\\u200d]'

const marks = new RegExp(`${unseen}|${joinerInAscii}`, 'gv')

/** Splits a text so that invisible characters can be shown by their codes; joined, the pieces are the text. */
export function visiblePieces(text: string): VisiblePiece[] {
  const pieces: VisiblePiece[] = []
  let from = 0
  for (const match of text.matchAll(marks)) {
    if (match.index > from) pieces.push({ kind: 'text', text: text.slice(from, match.index) })
    pieces.push({ kind: 'mark', text: match[0], code: codeOf(match[0]) })
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}

export function isAllVisible(text: string): boolean {
  return text.search(marks) < 0
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
