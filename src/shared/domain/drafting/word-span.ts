import { z } from 'zod'

/** A word of a text. Units: UTF-16, half-open. */
export const WordSpan = z.object({ from: z.int().nonnegative(), to: z.int().nonnegative() })
export type WordSpan = z.infer<typeof WordSpan>
