import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'

/**
 * A search in a work.
 *
 * Shape: the folds do not apply to regular expressions. `foldsWidth`: NFKC, so that full- and half-width forms are
 * equal; `foldsKana`: hiragana and katakana are equal.
 */
export const FindQuery = z.object({
  text: z.string().min(1).max(10_000),
  isRegex: z.boolean(),
  isCaseSensitive: z.boolean(),
  foldsWidth: z.boolean(),
  foldsKana: z.boolean(),
})
export type FindQuery = z.infer<typeof FindQuery>

/**
 * One hit. Units: half-open UTF-16 positions with LF line ends; `line` counts from 1.
 *
 * Shape: `before` and `after` are of its line, with an ellipsis where it is cut; `insert` is the replacement.
 */
export const FindHit = z.object({
  from: z.number().int().nonnegative(),
  to: z.number().int().nonnegative(),
  line: z.number().int().positive(),
  before: z.string(),
  match: z.string(),
  after: z.string(),
  insert: z.string(),
})
export type FindHit = z.infer<typeof FindHit>

/** `hash` is that of the text in which the hits were found. */
export const FindChapter = z.object({ path: z.string(), hash: z.string(), hits: z.array(FindHit) })
export type FindChapter = z.infer<typeof FindChapter>

export const FindResult = z.object({
  chapters: z.array(FindChapter),
  total: z.number().int(),
  /** There are more hits than `chapters` holds. */
  isTruncated: z.boolean(),
  /** Chapters that could not be read. */
  unread: z.array(z.string()),
})
export type FindResult = z.infer<typeof FindResult>

function areInOrder(edits: readonly { from: number; to: number }[]): boolean {
  return edits.every(({ from, to }, at) => (edits[at - 1]?.to ?? 0) <= from && from <= to)
}

export const ChosenReplacement = z.object({
  path: z.string().max(32_768),
  hash: z.string(),
  edits: z
    .array(
      z.object({
        from: z.number().int().nonnegative(),
        to: z.number().int().nonnegative(),
        insert: z.string().max(1_000_000),
      }),
    )
    .max(50_000)
    .refine(areInOrder, 'edits follow one another'),
})
export type ChosenReplacement = z.infer<typeof ChosenReplacement>

/**
 * `changed` names the files that were not written, since their text has changed in the meantime; `failed` says why others
 * could not be written. The rest is replaced, and can be taken back.
 */
export const ReplaceResult = z.object({
  replaceId: z.string(),
  count: z.number().int(),
  files: z.number().int(),
  changed: z.array(z.string()),
  failed: z.array(ErrorInfo),
})
export type ReplaceResult = z.infer<typeof ReplaceResult>

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
