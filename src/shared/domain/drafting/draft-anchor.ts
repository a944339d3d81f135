import { z } from 'zod'
import { RolledValue } from './take.ts'

/**
 * Where the body of an anchored prompt starts, stored with the work, so that the prompt's head stays the same
 * from page to page.
 *
 * Units: `fromChars` counts code points of the rolled body. `headText` is the text at that place: it shows whether
 * the place has moved. `held` are the rolls of the text before the tail; they are kept until the anchor moves.
 */
export const DraftAnchor = z.object({
  fromChars: z.int().nonnegative(),
  headText: z.string(),
  held: z.array(RolledValue),
})
export type DraftAnchor = z.infer<typeof DraftAnchor>
