import { z } from 'zod'

/** How a file's bytes spell its text; what a file was read as is what it is written as. */
export const TextEncoding = z.enum(['utf-8', 'utf-16le', 'utf-16be', 'shift_jis', 'euc-jp'])
export type TextEncoding = z.infer<typeof TextEncoding>

/** How lines end on disk. `mixed`: every untouched line keeps its own end, a new one takes its neighbour's. */
export const LineEnd = z.enum(['lf', 'crlf', 'cr', 'mixed'])
export type LineEnd = z.infer<typeof LineEnd>
