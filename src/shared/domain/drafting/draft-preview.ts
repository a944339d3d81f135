import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { StoryReport } from '../lore/chapter-summary.ts'
import { LoreReport } from '../lore/lore.ts'
import { PromptOrigin, PromptPart, RolledValue } from './take.ts'

/** The parts of the next prompt, counted by the model's own tokenizer unless `isEstimate`. */
export const DraftPreview = z.object({
  task: z.string(),
  parts: z.array(PromptPart),
  rolls: z.array(RolledValue),
  /** Tokens by origin: differences of counted prefixes, so that they add up to the total. */
  tokensByOrigin: z.partialRecord(PromptOrigin, z.number()),
  totalTokens: z.number(),
  /** Context window less the output. */
  availableTokens: z.number(),
  contextTokens: z.number(),
  outputTokens: z.number(),
  isEstimate: z.boolean(),
  /** Code points of the body that were kept, and of the whole. */
  keptChars: z.number(),
  bodyChars: z.number(),
  /** Less than half of the body and under 2,500 characters are kept; reported once per work. */
  isShortened: z.boolean(),
  /** Prompt tokens that the model has already read, as far as can be told; null before the first run of a host. */
  reusableTokens: z.number().nullable(),
  /** How fast the model read in earlier runs; null before one. Units: tokens per second. */
  readSpeed: z.number().nullable(),
  /** Null where the work has no lore entries. */
  lore: LoreReport.nullable(),
  /** As in `lore.list`, when the prompt was made; empty where the work has no materials, null where it is not known. */
  loreRevision: z.string().nullable(),
  /** Null where no earlier chapter is left out. */
  story: StoryReport.nullable(),
  /** Why nothing can be sent, with the prompt as it would be. */
  problem: ErrorInfo.nullable(),
})
export type DraftPreview = z.infer<typeof DraftPreview>

/**
 * The start of the body of an anchored prompt, stored with the work, so that the prompt's head stays the same from page
 * to page.
 *
 * Units: `fromChars` counts code points of the rolled body. `headText` is the text at that place: it shows whether the
 * place has moved. `held` are the rolls of the text before the tail; they are kept until the anchor moves.
 */
export const DraftAnchor = z.object({
  fromChars: z.int().nonnegative(),
  headText: z.string(),
  held: z.array(RolledValue),
})
export type DraftAnchor = z.infer<typeof DraftAnchor>
