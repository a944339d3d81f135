import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { DraftMode, IdeaTarget, TakeMode } from './draft-details.ts'
import { Rewrite } from './rewrite.ts'
import { TakeEnd } from './take.ts'
import { WordSpan } from './word-span.ts'

/** `counting`: the prompt is fitted. `queued`: waits for the model. `reading`: it reads. `writing`: text arrives. */
export const RunPhase = z.enum(['counting', 'queued', 'reading', 'writing'])
export type RunPhase = z.infer<typeof RunPhase>

/** Time without an answer of the model after which the author is told. */
export const silentAfterMs = 4_000

/** `estimated`: our own figure, by the speed measured before. `silent`: the model has sent nothing for long. */
export const PhaseHint = z.enum(['estimated', 'silent'])
export type PhaseHint = z.infer<typeof PhaseHint>

export const RunState = z.enum(['running', 'finished', 'stopped', 'failed', 'interrupted'])
export type RunState = z.infer<typeof RunState>

/** Figures of a run, as far as they are known. Units: tokens, milliseconds, tokens per second. */
export const RunFigures = z.object({
  promptTokens: z.number().nullable(),
  /** Tokens of the prompt that the model did not have to read again. */
  reusedTokens: z.number().nullable(),
  isReuseEstimated: z.boolean(),
  completionTokens: z.number(),
  maxTokens: z.number(),
  tokensPerSecond: z.number().nullable(),
  elapsedMs: z.number(),
  /** The prediction made before sending, and how long reading took; null where it is not known. */
  reading: z
    .object({
      predictedTokens: z.number(),
      predictedMs: z.number().nullable(),
      tookMs: z.number().nullable(),
    })
    .optional(),
})
export type RunFigures = z.infer<typeof RunFigures>

/** Work that a window starts and any may watch; it lives until it ends or is stopped, without windows too. */
export const Run = z.object({
  runId: z.string(),
  kind: z.enum(['draft']),
  workId: z.string(),
  /** File that the run continues, relative to the work. */
  path: z.string(),
  takeId: z.string(),
  mode: TakeMode,
  /** As in `Take`. */
  rewrite: Rewrite.optional(),
  ideaTarget: IdeaTarget,
  /** As in `Take`. */
  placeId: z.string(),
  state: RunState,
  phase: RunPhase,
  hint: PhaseHint.optional(),
  /** Position of the continuation in the open document, UTF-16 units; follows the author's edits. */
  position: z.number(),
  /** Position before the text that the author has typed or accepted at the run's place since. */
  placeFrom: z.number().optional(),
  /** Text that goes before the model's first character when it is accepted (join rule). */
  lead: z.string(),
  text: z.string(),
  /** As in `Take`, once the text is whole. */
  uncertain: z.array(WordSpan).optional(),
  /** As in `Take`, which a run without text does not have; absent while it runs, and after a failure. */
  stopReason: TakeEnd.optional(),
  figures: RunFigures,
  modelName: z.string(),
  isDemo: z.boolean(),
  error: ErrorInfo.nullable(),
  startedAt: z.number(),
})
export type Run = z.infer<typeof Run>

/** Events of `run.watch`: a snapshot, which says its `seq`, then events that count on from it without gaps. */
export const RunEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('snapshot'), seq: z.number(), run: Run }),
  /** The position of the continuation and how it joins the text; comes before the first text. */
  z.object({ type: z.literal('placed'), seq: z.number(), position: z.number(), lead: z.string() }),
  z.object({ type: z.literal('text'), seq: z.number(), text: z.string() }),
  /** The whole text so far, corrected by the server's own record. */
  z.object({ type: z.literal('replace'), seq: z.number(), text: z.string() }),
  z.object({
    type: z.literal('phase'),
    seq: z.number(),
    phase: RunPhase,
    progress: z.number().nullable(),
    hint: PhaseHint.optional(),
  }),
  z.object({ type: z.literal('uncertain'), seq: z.number(), words: z.array(WordSpan) }),
  z.object({ type: z.literal('figures'), seq: z.number(), figures: RunFigures }),
  z.object({
    type: z.literal('ended'),
    seq: z.number(),
    state: RunState,
    error: ErrorInfo.nullable(),
    stopReason: TakeEnd.optional(),
  }),
])
export type RunEvent = z.infer<typeof RunEvent>

/** Joins adjacent pieces of text; of adjacent figures returns the newer. */
export function mergeRunEvents(older: RunEvent, newer: RunEvent): RunEvent | undefined {
  if (newer.type === 'figures' && older.type === 'figures') return newer
  if (newer.type !== 'text') return undefined
  if (older.type === 'text' || older.type === 'replace')
    return { ...newer, type: older.type, text: older.text + newer.text }
  return undefined
}

/**
 * Why endless generation ended. `stopped`: by the author. `failed`: with `error`. `empty`: the model wrote nothing.
 * `headings`: it wrote only headings of its prompt. `limit`: enough takes of one place were made. `complete`: as many as were asked for.
 */
export const EndlessEnd = z.enum(['stopped', 'failed', 'empty', 'headings', 'limit', 'complete'])
export type EndlessEnd = z.infer<typeof EndlessEnd>

/**
 * Several takes of a work's place: one block after another, up to the number that was asked for, or, without a number,
 * until the author stops it.
 *
 * Shape: `block` counts from 1 at each place; `runId` is the run that was begun last, `together` are all that write
 * where the model serves several requests at a time. `end` is null until it ends.
 */
export const EndlessDraft = z.object({
  path: z.string(),
  mode: DraftMode,
  block: z.int().min(1),
  /** How many takes were asked for; absent: without end. */
  total: z.int().optional(),
  runId: z.string(),
  together: z.array(z.string()).optional(),
  placeId: z.string(),
  end: EndlessEnd.nullable(),
  error: ErrorInfo.nullable(),
})
export type EndlessDraft = z.infer<typeof EndlessDraft>

/** The most takes that are made of one place. */
export const mostBlocks = 100
