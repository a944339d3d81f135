import { encodeText, UnencodableError } from '../../platform/files/encodings.ts'

/**
 * What ripgrep is to look for: the pattern as it is, and spelled as the bytes of Shift_JIS and EUC-JP, because it
 * reads every file as UTF-8 (UTF-16 with a mark it knows itself).
 */
export function searchPatterns(pattern: string, isLiteral: boolean): string[] {
  // A program takes no argument with a NUL in it.
  const plain = (isLiteral ? escapePattern(pattern) : pattern).replaceAll('\0', '\\x00')
  if (/^\p{ASCII}*$/u.test(pattern)) return [plain]
  // Inside a class a character of two bytes would be two members; properties of characters are none of bytes.
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

/** Each character stays one to what repeats it. */
function byteEscapes(bytes: Uint8Array): string {
  return `(?:${[...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')})`
}
