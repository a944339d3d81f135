import { z } from 'zod'

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
