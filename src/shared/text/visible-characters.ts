/** A stretch of a text as it is, or one character that would not be seen, by its code (`U+202E`). */
export type VisiblePiece = { kind: 'text'; text: string } | { kind: 'mark'; text: string; code: string }

/**
 * Characters that show nothing, or turn around what is shown: controls, bidi marks and overrides, zero-width and
 * soft characters, fillers, tags, spaces that only look like one, halves of pairs. Not tab, LF, the two spaces
 * that people type, and the selectors that choose a form of the letter before them.
 */
const unseen =
  '[[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Zs}\\p{DI}]--[\\t\\n \\u3000\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]]'

/** Joiners belong to letters of many scripts and to emoji; between Latin letters and signs they only hide. */
const joinerInAscii = '(?<=^|[\\p{ASCII}])[\\u200c\\u200d]'

const marks = new RegExp(`${unseen}|${joinerInAscii}`, 'gv')

/** Parts a text so that what cannot be seen can be shown by its code; joined, the pieces are the text. */
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

/** True where a text holds nothing that would not be seen. */
export function isAllVisible(text: string): boolean {
  return text.search(marks) < 0
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
