import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'

/**
 * The state of a summary. `own`: the author wrote it, so that the text it was made from is not known; `outdated`: the
 * chapter has changed by more than a tenth since; `unreadable`: its file cannot be read.
 */
export const SummaryState = z.enum(['none', 'own', 'current', 'outdated', 'unreadable'])
export type SummaryState = z.infer<typeof SummaryState>

/**
 * A take of a summary that the author has not decided about; it is not used until the author accepts it.
 *
 * Shape: `text` is as the author has changed it where `isEdited`. `isCut`: it, or the summary of a piece that it was
 * made from, ended at the limit of tokens. `isPartial`: it was stopped or failed before the end of the chapter.
 */
export const SummaryOffer = z.object({
  takeId: z.string(),
  text: z.string(),
  isEdited: z.boolean(),
  modelName: z.string(),
  createdAt: z.number(),
  isCut: z.boolean(),
  isPartial: z.boolean(),
})
export type SummaryOffer = z.infer<typeof SummaryOffer>

/** True where a summary may be made without asking: nothing is offered, or only a part that the author has not changed. */
export function isOpenForNew(offer: SummaryOffer | null): boolean {
  return offer === null || (offer.isPartial && !offer.isEdited)
}

/**
 * A chapter with its summary. Shape: `file` is where the summary is or would be, and `error` why it cannot be read;
 * paths are relative to the work. `takes`: the number of all takes of the summary.
 */
export const ChapterSummary = z.object({
  path: z.string(),
  file: z.string(),
  state: SummaryState,
  error: ErrorInfo.nullable(),
  text: z.string(),
  offer: SummaryOffer.nullable(),
  takes: z.int(),
})
export type ChapterSummary = z.infer<typeof ChapterSummary>

/**
 * The summary of several early chapters together. Shape: `episodes` are the ones that it summarises, `changed` those of
 * them that have changed by more than a tenth since, and `error` is why its file cannot be read.
 */
const WholeSummary = z.object({
  file: z.string(),
  state: SummaryState,
  error: ErrorInfo.nullable(),
  changed: z.array(z.string()),
  episodes: z.array(z.string()),
  text: z.string(),
  offer: SummaryOffer.nullable(),
  takes: z.int(),
})

export const WorkSummaries = z.object({ episodes: z.array(ChapterSummary), whole: WholeSummary })
export type WorkSummaries = z.infer<typeof WorkSummaries>

/** The source of a summary: one chapter, or the summaries of several, the oldest first. */
export const SummaryTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('episode'), path: z.string() }),
  z.object({ kind: z.literal('whole'), episodes: z.array(z.string()).min(1).max(10_000) }),
])
export type SummaryTarget = z.infer<typeof SummaryTarget>

/** A step of making summaries. `piece`: a piece of a long chapter; `text`: text to append to that piece's summary. */
export const SummaryEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('piece'),
    target: z.int().nonnegative(),
    targets: z.int(),
    piece: z.int(),
    pieces: z.int(),
  }),
  z.object({ type: z.literal('text'), text: z.string() }),
  /** The model gave no text for this target. */
  z.object({ type: z.literal('empty'), target: z.int().nonnegative() }),
  /** The model was not asked: `error` says why the chapter could not be read; null: it has no text. */
  z.object({ type: z.literal('skipped'), target: z.int().nonnegative(), error: ErrorInfo.nullable() }),
  z.object({ type: z.literal('made'), target: z.int().nonnegative() }),
])
export type SummaryEvent = z.infer<typeof SummaryEvent>

/**
 * The work on summaries while the model is idle. `waiting`: the model was in use a moment ago; `writing`: `path` is
 * being summarised; `complete`: no chapter needs one; `remote`: a server with a key may charge for it; `demo`: there is
 * no model; `elsewhere`: another window does it; `failed`: `error` says why, and it is tried again later.
 */
export const IdleSummaries = z.object({
  state: z.enum(['waiting', 'writing', 'complete', 'remote', 'demo', 'elsewhere', 'failed']),
  path: z.string().nullable(),
  error: ErrorInfo.nullable(),
  /** The number of summaries made since the stream began. */
  made: z.int(),
})
export type IdleSummaries = z.infer<typeof IdleSummaries>

/**
 * A summary in a prompt. `left-out`: the budget has no room for it; `waiting`: it is newer than the anchor, and is told
 * once that moves. Units: tokens.
 */
export const StoryUse = z.object({
  /** Null: the summary of several chapters together. */
  path: z.string().nullable(),
  file: z.string(),
  place: z.enum(['standing', 'left-out', 'waiting']),
  isOutdated: z.boolean(),
  tokens: z.number(),
})
export type StoryUse = z.infer<typeof StoryUse>

/** A summary whose file cannot be read. Shape: `path` is null for the summary of several chapters together. */
export const UnreadSummary = z.object({ path: z.string().nullable(), file: z.string(), error: ErrorInfo })
export type UnreadSummary = z.infer<typeof UnreadSummary>

/** The story so far in a prompt: summaries of the chapters that are no longer sent. Units: tokens. */
export const StoryReport = z.object({
  uses: z.array(StoryUse),
  /** Chapters that are no longer sent and have no summary. */
  missing: z.array(z.string()),
  /** Summaries that are left out because their files cannot be read. */
  unread: z.array(UnreadSummary),
  /** The summaries have changed since; the present ones are told once the anchor moves. */
  isHeld: z.boolean(),
  usedTokens: z.number(),
  budgetTokens: z.number(),
})
export type StoryReport = z.infer<typeof StoryReport>
