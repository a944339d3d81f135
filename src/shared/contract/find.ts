import { z } from 'zod'
import { ChosenReplacement, FindQuery, FindResult, ReplaceResult } from '../domain/work/find.ts'
import { Quotations } from '../domain/work/quotation.ts'
import { ErrorInfo } from '../errors.ts'
import { call } from './method.ts'

const InWork = z.object({ workId: z.string() })

export const findContract = {
  /**
   * Finds a text in all manuscripts, as they stand in the window. `replacement` may name groups (`$1`, `$<name>`, `$&`)
   * where the query is a regular expression.
   *
   * Errors: `find/bad-pattern`; `find/too-slow` for an expression that does not end in time.
   */
  'work.find': call(InWork.extend({ query: FindQuery, replacement: z.string().max(100_000) }), FindResult),
  /**
   * Returns places of the manuscripts, materials and summaries that may answer a question, the best first, by the words
   * that they share with it; asks no model.
   */
  'work.ask': call(InWork.extend({ question: z.string().min(1).max(2_000) }), Quotations),
  /**
   * Makes the chosen edits: a snapshot of each file before, one undo step in each, `work.undoReplace` for all.
   *
   * Errors: `file/…` where no file could be written.
   */
  'work.replace': call(InWork.extend({ chosen: z.array(ChosenReplacement).max(10_000) }), ReplaceResult),
  /** Undoes a replacement and keeps what was written after it; `failed` as in `work.replace`. Errors: `find/no-undo`. */
  'work.undoReplace': call(
    InWork.extend({ replaceId: z.string() }),
    z.object({ files: z.number().int(), changed: z.array(z.string()), failed: z.array(ErrorInfo) }),
  ),
}
