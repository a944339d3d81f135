import type { TextEncoding } from '../../shared/domain/work/text-encoding.ts'
import { bomBytes, tryDecode } from '../platform/files/encodings.ts'

/**
 * A file's bytes as text with LF line ends, or why they are not text. `encoding`: they fit each of `encodings`;
 * `chosen` is present where only the user's choice decided.
 */
export type DecodedReference =
  | { kind: 'text'; text: string; chosen?: TextEncoding }
  | { kind: 'binary' }
  | { kind: 'encoding'; encodings: TextEncoding[] }

const marked = ['utf-8', 'utf-16le', 'utf-16be'] as const
const japanese = ['shift_jis', 'euc-jp'] as const

/**
 * Decodes strictly, without guessing: by a byte order mark, as UTF-8, then as Shift_JIS or EUC-JP where only one of
 * them fits. `chosen` is the user's choice where both fit.
 *
 * Source: `docs/decisions/references.md`.
 */
export function decodeReference(bytes: Uint8Array, chosen?: TextEncoding): DecodedReference {
  for (const encoding of marked) {
    const mark = bomBytes(encoding)
    if (mark.every((byte, index) => bytes[index] === byte))
      return textOrBinary(tryDecode(bytes.subarray(mark.length), encoding))
  }
  if (bytes.includes(0)) return { kind: 'binary' }
  const plain = tryDecode(bytes, 'utf-8')
  if (plain !== undefined) return textOrBinary(plain)
  const fitting = japanese.filter((encoding) => tryDecode(bytes, encoding) !== undefined)
  const [only] = fitting
  if (only === undefined) return { kind: 'binary' }
  if (fitting.length === 1) return textOrBinary(tryDecode(bytes, only))
  const wanted = fitting.find((encoding) => encoding === chosen)
  if (wanted === undefined) return { kind: 'encoding', encodings: fitting }
  const decoded = textOrBinary(tryDecode(bytes, wanted))
  return decoded.kind === 'text' ? { ...decoded, chosen: wanted } : decoded
}

function textOrBinary(text: string | undefined): DecodedReference {
  return text === undefined ? { kind: 'binary' } : { kind: 'text', text: text.replace(/\r\n?/g, '\n') }
}
