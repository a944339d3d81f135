import { z } from 'zod'

/** Conditions without a suggestion, as they are checked. Source: `docs/decisions/suggestions.md`, "When". */
export const SuggestionGuard = z.enum([
  'setting_off',
  'no_window',
  'driven_by_program',
  'not_after_turn',
  'run_active',
  'last_item_error',
  'pending_error',
  'command_confirmation',
  'permission_dialog',
  'gate_open',
  'loop_question',
  'elicitation',
  'plan_mode',
  'message_queued',
  'turn_cancelled',
  'early_conversation',
])
export type SuggestionGuard = z.infer<typeof SuggestionGuard>

/** Why the model was not asked, or its answer not shown; for a rule of the filter its own name stands instead. */
export const SuggestionLack = z.enum([
  'cache_sharing_off',
  'no_shared_prefix',
  'no_room',
  'paused_cache',
  'paused_timeouts',
  'timeout',
  'error',
  'empty',
  'cut',
])
export type SuggestionLack = z.infer<typeof SuggestionLack>

/** A model that is not asked for suggestions until the user resumes it or the host starts again. */
export const SuggestionPause = z.object({
  profileId: z.string(),
  reason: SuggestionLack.extract(['paused_cache', 'paused_timeouts']),
})
export type SuggestionPause = z.infer<typeof SuggestionPause>

/** The origin of a suggestion; only `model` costs tokens. */
export const SuggestionSource = z.enum(['tip', 'option', 'failed_test', 'todo', 'model'])
export type SuggestionSource = z.infer<typeof SuggestionSource>

/** Which of several suggestions is shown: `number` from 1. `isMaking`: the model is being asked for one more. */
export const SuggestionPlace = z.object({
  number: z.int().min(1),
  count: z.int().min(2),
  isMaking: z.boolean(),
})
export type SuggestionPlace = z.infer<typeof SuggestionPlace>

/** A session's suggestion, or why there is none; the first window to settle `suggestionId` decides for all. */
export const SuggestionState = z.object({
  suggestionId: z.string().nullable(),
  text: z.string().nullable(),
  source: SuggestionSource.nullable(),
  /** The name of a guard, of a lack or of a rule of the filter. */
  suppressed: z.string().nullable(),
  /** Absent where there is only one suggestion. */
  place: SuggestionPlace.optional(),
})
export type SuggestionState = z.infer<typeof SuggestionState>

export const noSuggestion: SuggestionState = {
  suggestionId: null,
  text: null,
  source: null,
  suppressed: null,
}

/** How a visible suggestion ended in a window. Units: ms since it was visible there. */
export const SuggestionOutcome = z.object({
  outcome: z.enum(['accepted', 'ignored']),
  method: z.enum(['tab', 'enter', 'right']).nullable().default(null),
  timeMs: z.number().min(0),
  firstKeystrokeMs: z.number().min(0).nullable().default(null),
  wasFocused: z.boolean().default(true),
})
export type SuggestionOutcome = z.infer<typeof SuggestionOutcome>

export const SettledSuggestion = SuggestionOutcome.extend({ suggestionId: z.string() })
export type SettledSuggestion = z.infer<typeof SettledSuggestion>

/**
 * The record of a suggestion, or of one that was not made: kept on this machine only, without its text.
 *
 * Shape: `outcome` stays `offered` until the user accepts or dismisses it. `similarity` to the next message within two
 * minutes: 1 for the same text, null without such a message. Units: ms, graphemes, tokens.
 */
export const SuggestionEvent = z.object({
  suggestionId: z.string(),
  sessionId: z.string(),
  at: z.number(),
  promptId: z.string(),
  source: SuggestionSource.nullable(),
  modelName: z.string(),
  outcome: z.enum(['offered', 'accepted', 'ignored', 'suppressed', 'aborted']),
  reason: z.string().nullable(),
  method: z.enum(['tab', 'enter', 'right']).nullable(),
  timeMs: z.number().nullable(),
  firstKeystrokeMs: z.number().nullable(),
  wasFocused: z.boolean().nullable(),
  length: z.int(),
  similarity: z.number().min(0).max(1).nullable(),
  promptTokens: z.int(),
  reusedTokens: z.int().nullable(),
  completionTokens: z.int(),
  msToSuggestion: z.number(),
})
export type SuggestionEvent = z.infer<typeof SuggestionEvent>

/** Returns the event of a suggestion that is offered, with no outcome yet. */
export function newSuggestionEvent(
  own: Pick<SuggestionEvent, 'suggestionId' | 'sessionId' | 'at'> & Partial<SuggestionEvent>,
): SuggestionEvent {
  return {
    // Which of several prompts was used. Source: *Prompt suggestions*.
    promptId: 'user_intent',
    source: null,
    modelName: '',
    outcome: 'offered',
    reason: null,
    method: null,
    timeMs: null,
    firstKeystrokeMs: null,
    wasFocused: null,
    length: 0,
    similarity: null,
    promptTokens: 0,
    reusedTokens: null,
    completionTokens: 0,
    msToSuggestion: 0,
    ...own,
  }
}

/** The totals of all events. Units: tokens; ms. `similarity` and `msToSuggestion` are medians. */
export const SuggestionSummary = z.object({
  offered: z.int(),
  accepted: z.int(),
  ignored: z.int(),
  /** The keys with which suggestions were accepted. */
  methods: z.object({ tab: z.int(), enter: z.int(), right: z.int() }),
  reasons: z.record(z.string(), z.int()),
  promptTokens: z.int(),
  reusedTokens: z.int(),
  completionTokens: z.int(),
  similarity: z.number().nullable(),
  /** Only of suggestions that a model made. */
  msToSuggestion: z.number().nullable(),
})
export type SuggestionSummary = z.infer<typeof SuggestionSummary>
