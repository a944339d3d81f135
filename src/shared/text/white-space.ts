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

export function trimEndWhiteSpace(text: string): string {
  let to = text.length
  while (to > 0 && isWhiteSpace(text.charCodeAt(to - 1))) to--
  return text.slice(0, to)
}

/** Removes from both ends every code unit that `isTrimmed` names. */
export function trimWhere(text: string, isTrimmed: (codeUnit: number) => boolean): string {
  let from = 0
  let to = text.length
  while (from < to && isTrimmed(text.charCodeAt(from))) from++
  while (to > from && isTrimmed(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}
