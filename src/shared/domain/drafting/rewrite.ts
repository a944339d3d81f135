import { z } from 'zod'

/** Units: UTF-16. */
export const longestPassage = 20_000

/** A named instruction for rewriting a selection; the author may change all of them. */
export const RewritePreset = z.object({
  name: z.string().trim().min(1).max(100),
  instruction: z.string().trim().min(1).max(4_000),
})
export type RewritePreset = z.infer<typeof RewritePreset>

/** A selection to rewrite, and how. Units: UTF-16 of the open document, LF; `original` is its text. */
export const Rewrite = z.object({
  from: z.int().nonnegative(),
  original: z.string().min(1).max(longestPassage),
  instruction: z.string().trim().min(1).max(4_000),
})
export type Rewrite = z.infer<typeof Rewrite>
