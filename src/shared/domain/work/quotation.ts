import { z } from 'zod'

/**
 * A line of the work that may answer a question, with the lines around it.
 *
 * Units: `line` from 1; half-open UTF-16 positions of the line, with LF line ends.
 */
export const Quotation = z.object({
  path: z.string(),
  line: z.number().int().positive(),
  from: z.number().int().nonnegative(),
  to: z.number().int().nonnegative(),
  before: z.string(),
  text: z.string(),
  after: z.string(),
})
export type Quotation = z.infer<typeof Quotation>
