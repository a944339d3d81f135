import { z } from 'zod'

/**
 * Where an author was in a file.
 *
 * Units: positions in the file's text. Shape: `top` is the first position on the page that was in sight, `vertical`
 * the place of the vertical view, null where that was not looked at.
 */
export const TextPlace = z.object({
  anchor: z.int().nonnegative(),
  head: z.int().nonnegative(),
  top: z.int().nonnegative(),
  vertical: z.int().nonnegative().nullable(),
})
export type TextPlace = z.infer<typeof TextPlace>
