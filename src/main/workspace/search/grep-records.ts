import { z } from 'zod'
import { encodeText, UnencodableError } from '../../platform/files/encodings.ts'

const Spelled = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })])

/** A line of ripgrep's `--json`. Units: bytes in the line for submatches. Source: ripgrep, `grep_printer::JSON`. */
const GrepRecord = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begin') }),
  z.object({ type: z.literal('end') }),
  z.object({ type: z.literal('summary') }),
  z.object({
    type: z.enum(['match', 'context']),
    data: z.object({
      path: Spelled,
      lines: Spelled,
      line_number: z.int().nullable(),
      submatches: z.array(z.object({ start: z.int(), end: z.int() })),
    }),
  }),
])

/** A line that was found. Shape: `bytes` as in the file. */
export type FoundLine = { path: string; line: number; bytes: Buffer; isContext: boolean; hitFrom: number }

/** Returns undefined for a record that is not a line, or whose path is not text. */
export function readGrepRecord(record: string): FoundLine | undefined {
  const parsed = GrepRecord.safeParse(JSON.parse(record))
  if (!parsed.success || (parsed.data.type !== 'match' && parsed.data.type !== 'context')) return undefined
  const { path, lines, line_number, submatches } = parsed.data.data
  if (!('text' in path) || line_number === null) return undefined
  const bytes = 'text' in lines ? Buffer.from(lines.text) : Buffer.from(lines.bytes, 'base64')
  return {
    path: path.text,
    line: line_number,
    bytes,
    isContext: parsed.data.type === 'context',
    hitFrom: submatches[0]?.start ?? 0,
  }
}

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
