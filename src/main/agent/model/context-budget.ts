/** What a request is made for. */
export type RequestPurpose = 'decide' | 'reply' | 'work' | 'beside' | 'compact'

/**
 * How long an answer may be: a share of the context window with an upper end, and what must be left for it at
 * the least.
 *
 * Units: tokens; shares of the context window.
 */
const budgets: Record<RequestPurpose, { share: number; most: number; least: number }> = {
  decide: { share: 0.25, most: 2_048, least: 0.12 },
  reply: { share: 0.25, most: 4_096, least: 0.1 },
  work: { share: 0.35, most: 12_288, least: 0.15 },
  beside: { share: 0.12, most: 1_024, least: 0.06 },
  compact: { share: 0.1, most: 4_096, least: 0.08 },
}

/** Where the backend does not tell its context window. */
const usualContextTokens = 4_096
/** A conversation that fills more than this is compacted before the next message. */
export const compactionShare = 0.8
/** What an overflow is cut to. Source: `docs/decisions/sessions.md`, point 22. */
export const cutShare = 0.6
/** What a compaction leaves. Source: `docs/decisions/sessions.md`, point 23. */
export const summaryShare = 0.1
export const filesShare = 0.25

/** Units: tokens. `least` must be left by the prompt; `most` is asked for where there is room. */
export function answerRoom(purpose: RequestPurpose, contextTokens: number | null) {
  const context = contextTokens ?? usualContextTokens
  const { share, most, least } = budgets[purpose]
  const wanted = Math.max(1, Math.min(most, Math.floor(context * share)))
  return { most: wanted, least: Math.max(1, Math.min(wanted, Math.floor(context * least))) }
}
