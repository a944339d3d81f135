import { encodeText, UnencodableError } from '../../platform/files/encodings.ts'

/**
 * Returns the patterns for ripgrep: the given one, and the same spelled as the bytes of Shift_JIS and EUC-JP, because
 * ripgrep reads every file as UTF-8 (it recognises UTF-16 by a byte order mark).
 */
export function searchPatterns(pattern: string, isLiteral: boolean): string[] {
  // A program takes no argument with a NUL in it.
  const plain = (isLiteral ? escapePattern(pattern) : pattern).replaceAll('\0', '\\x00')
  if (/^\p{ASCII}*$/u.test(pattern)) return [plain]
  // Inside a class a character of two bytes would be two members; character properties do not apply to bytes.
  const isOfCharacters = !isLiteral && /\[[^\]]*\P{ASCII}|\\[pP]/u.test(pattern)
  if (isOfCharacters) return [plain]
  const spelled = (['shift_jis', 'euc-jp'] as const).flatMap((encoding) => {
    try {
      const bytes = plain.replace(/\P{ASCII}/gu, (text) => byteEscapes(encodeText(text, encoding)))
      return [`(?-u:${bytes})`]
    } catch (error) {
      if (error instanceof UnencodableError) return []
      throw error
    }
  })
  return [plain, ...spelled]
}

function escapePattern(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$#&\-~\s]/g, (character) => {
    if (character === '\n') return '\\n'
    return /\s/.test(character) ? character : `\\${character}`
  })
}

/** Spells a character as a group of its bytes, so that a quantifier behind it repeats all of them. */
function byteEscapes(bytes: Uint8Array): string {
  return `(?:${[...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')})`
}
