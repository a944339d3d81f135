import { z } from 'zod'

/** The `path` of takes of the summary of several chapters; no file of a work has this path. */
export const wholePath = '/'

/** State of a chapter when it was summarised: its hash, and a sample by which a change can be measured. */
export const SourceMark = z.object({ hash: z.string(), sample: z.string() })
export type SourceMark = z.infer<typeof SourceMark>

/**
 * What a take of a summary was made from.
 *
 * Shape: a long text is summarised in `pieces`, each with the summary so far; the take goes up to `piece`, which counts
 * from 0. `isCut`: the summary of an earlier piece ended at the limit of tokens. `mark` is that of a chapter; a summary
 * of several has `episodes` and their `marks`.
 */
export const SummarySource = z.object({
  piece: z.int(),
  pieces: z.int(),
  isCut: z.boolean(),
  mark: SourceMark.nullable(),
  episodes: z.array(z.string()),
  marks: z.record(z.string(), SourceMark),
})
export type SummarySource = z.infer<typeof SummarySource>
