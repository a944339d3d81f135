/**
 * Returns true for white space as the drafting rules define it: Unicode White_Space and U+001C–1F, not U+FEFF (BOM).
 *
 * JavaScript's `trim` and `\s` differ in both directions, so code for prompts must not use them.
 * Source: `docs/decisions/drafting.md`, "Text".
 */
export function isWhiteSpace(codeUnit: number): boolean {
  if (codeUnit <= 0x20) return codeUnit === 0x20 || (codeUnit >= 0x09 && codeUnit <= 0x0d) || codeUnit >= 0x1c
  if (codeUnit < 0x1680) return codeUnit === 0x85 || codeUnit === 0xa0
  if (codeUnit === 0x1680 || codeUnit === 0x3000 || codeUnit === 0x202f || codeUnit === 0x205f) return true
  return (codeUnit >= 0x2000 && codeUnit <= 0x200a) || codeUnit === 0x2028 || codeUnit === 0x2029
}

export function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isWhiteSpace(text.charCodeAt(i))) return false
  return true
}

export function trimWhiteSpace(text: string): string {
  return trimWhere(text, isWhiteSpace)
}

/** Removes from both ends every code unit that `isTrimmed` names. */
export function trimWhere(text: string, isTrimmed: (codeUnit: number) => boolean): string {
  let from = 0
  let to = text.length
  while (from < to && isTrimmed(text.charCodeAt(from))) from++
  while (to > from && isTrimmed(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

/** Returns the text with LF line ends only: CRLF, CR, U+2028 and U+2029 become LF. */
export function normaliseLineEnds(text: string): string {
  return /[\r\u2028\u2029]/.test(text) ? text.replace(/\r\n?|[\u2028\u2029]/g, '\n') : text
}
