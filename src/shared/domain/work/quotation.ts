import { z } from 'zod'

/**
 * A line of the work that may answer a question, with the lines around it. `matches`: the words of the question in
 * `text`, in order.
 *
 * Units: `line` from 1; half-open UTF-16 positions of the line, with LF line ends, and of `matches` in `text`.
 */
export const Quotation = z.object({
  path: z.string(),
  line: z.number().int().positive(),
  from: z.number().int().nonnegative(),
  to: z.number().int().nonnegative(),
  before: z.string(),
  text: z.string(),
  after: z.string(),
  matches: z.array(z.object({ from: z.int(), to: z.int() })),
})
export type Quotation = z.infer<typeof Quotation>

/** The quotations found for a question. `unread`: files that could not be read. */
export const Quotations = z.object({ quotations: z.array(Quotation), unread: z.array(z.string()) })
export type Quotations = z.infer<typeof Quotations>

/** Steps of a model's answer to a question about the work. */
export const AnswerEvent = z.discriminatedUnion('type', [
  /** `given`: how many of the first quotations the model reads. Its answer names them by their numbers from 1, as `[2]`. */
  Quotations.extend({ type: z.literal('places'), given: z.int() }),
  /** The next piece of the answer. `[0]` alone: the quotations do not answer the question. */
  z.object({ type: z.literal('text'), text: z.string() }),
  /** The whole answer so far, in place of what came before. */
  z.object({ type: z.literal('replace'), text: z.string() }),
  /** The last event of an answer that ended at the limit of tokens. */
  z.object({ type: z.literal('cut') }),
])
export type AnswerEvent = z.infer<typeof AnswerEvent>
