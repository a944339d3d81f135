import { z } from 'zod'

/** The encoding of a file's text; a file is written in the encoding in which it was read. */
export const TextEncoding = z.enum(['utf-8', 'utf-16le', 'utf-16be', 'shift_jis', 'euc-jp'])
export type TextEncoding = z.infer<typeof TextEncoding>

/** How lines end on disk. `mixed`: every untouched line keeps its own end, a new one takes its neighbour's. */
export const LineEnd = z.enum(['lf', 'crlf', 'cr', 'mixed'])
export type LineEnd = z.infer<typeof LineEnd>
