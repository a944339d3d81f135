import { z } from 'zod'
import { SummarySource } from '../lore/summary-source.ts'
import { CompletionEnd } from '../model/model-status.ts'
import { IdeaTarget, TakeMode } from './draft-details.ts'
import { Rewrite } from './rewrite.ts'
import { WordSpan } from './word-span.ts'

/**
 * `pending`: shown at its place, undecided. `inserted`: in the manuscript, wholly or in part.
 * `dismissed`: put aside. `kept`: put aside and marked by the author.
 */
export const TakeState = z.enum(['pending', 'inserted', 'dismissed', 'kept'])
export type TakeState = z.infer<typeof TakeState>

/**
 * How a take ended: as its completion did, or cut by the program: before the prompt's own scaffolding, where one line
 * was repeated over and over, or where it reached the text that follows (`met`); or because another model was chosen
 * meanwhile, or its profile changed (`replaced`).
 */
export const TakeEnd = z.enum([...CompletionEnd.options, 'scaffolding', 'repetition', 'met', 'replaced'])
export type TakeEnd = z.infer<typeof TakeEnd>

/** One result of the model for one place. Takes are never destroyed by a retry or a dismissal. */
export const Take = z.object({
  takeId: z.string(),
  workId: z.string(),
  path: z.string(),
  mode: TakeMode,
  /** Of a rewritten selection. */
  rewrite: Rewrite.optional(),
  /** Of a summary. */
  summary: SummarySource.optional(),
  /** Of a summary: the text as the author has changed it. */
  edited: z.string().optional(),
  /** The requested items of an idea. */
  ideaTarget: IdeaTarget,
  /** The first take of this place, or of this idea; empty for takes of earlier versions. */
  placeId: z.string(),
  task: z.string(),
  text: z.string(),
  /** Words of `text` that the model considered unlikely; absent where it was not asked, or does not report them. */
  uncertain: z.array(WordSpan).optional(),
  /** Text put before the take when it is inserted (join rule), decided when the run started. */
  lead: z.string(),
  /** Units: UTF-16 in the document. The position when the take was made; while it is offered, its present position. */
  position: z.number(),
  /** As in `Run`, of a take that is still offered. */
  placeFrom: z.number().optional(),
  state: TakeState,
  /** How much of `text` was accepted, UTF-16 units. */
  acceptedLength: z.number(),
  /** Null while it is being written, or when it ended by a failure. */
  stopReason: TakeEnd.nullable(),
  modelName: z.string(),
  isDemo: z.boolean(),
  promptTokens: z.number().nullable(),
  completionTokens: z.number(),
  tokensPerSecond: z.number().nullable(),
  elapsedMs: z.number(),
  createdAt: z.number(),
})
export type Take = z.infer<typeof Take>

/** The origin of a stretch of the prompt, by which the context view colours it. */
export const PromptOrigin = z.enum([
  'wrapper',
  'instruction',
  'reference',
  'lore',
  'story',
  'body',
  'recentLore',
  'following',
  'note',
  'tail',
  'rewrite',
  'suffix',
])
export type PromptOrigin = z.infer<typeof PromptOrigin>

export const PromptPart = z.object({ origin: PromptOrigin, text: z.string() })
export type PromptPart = z.infer<typeof PromptPart>

/**
 * A dynamic prompt that was rolled. Units: UTF-16 positions of `{…}` in the field's own text.
 *
 * Shape: `field` is `body` (then `path` names the manuscript file), a field of the details, or a tag
 * (`keywords.0`).
 */
export const RolledValue = z.object({
  field: z.string(),
  path: z.string().optional(),
  from: z.number(),
  to: z.number(),
  source: z.string(),
  value: z.string(),
})
export type RolledValue = z.infer<typeof RolledValue>

/** A take with everything that produced it. */
export const TakeRecord = z.object({
  take: Take,
  prompt: z.array(PromptPart),
  rolls: z.array(RolledValue),
  sampler: z.record(z.string(), z.unknown()),
  seed: z.number(),
})
export type TakeRecord = z.infer<typeof TakeRecord>

/** True for the text of another take of the same place that goes on from what was accepted of this one. */
export function goesOnFrom(
  { text, acceptedLength }: Pick<Take, 'text' | 'acceptedLength'>,
  other: string,
): boolean {
  return other.length > acceptedLength && other.startsWith(text.slice(0, acceptedLength))
}
