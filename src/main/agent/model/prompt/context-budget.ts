/** Purpose of a request. */
export type RequestPurpose = 'decide' | 'reply' | 'work' | 'beside' | 'compact'

/**
 * Limits of an answer's length: `share` of the context window up to `most` tokens. The prompt must leave at least
 * the share `least`.
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

/** Context window that we assume where the backend reports none. Units: tokens. */
const usualContextTokens = 4_096
/** A prompt that fills more than this share of the context window is compacted before the next message. */
export const compactionShare = 0.8
/**
 * Share of the context window that a prompt is cut to after an overflow. Source: `docs/decisions/sessions.md`, point
 * 22.
 */
export const cutShare = 0.6
/**
 * Shares of the context window that a compaction gives to the summary and to files. Source:
 * `docs/decisions/sessions.md`, point 23.
 */
export const summaryShare = 0.1
export const filesShare = 0.25

/** Units: tokens. `least` must be left by the prompt; `most` is asked for where there is room. */
export function answerRoom(purpose: RequestPurpose, contextTokens: number | null, isDirect = false) {
  const context = contextTokens ?? usualContextTokens
  const { share: usual, most, least } = budgets[purpose]
  // An answer that writes a whole file may take all that is left.
  const share = isDirect ? 1 : usual
  const wanted = Math.max(1, Math.min(most, Math.floor(context * share)))
  return { most: wanted, least: Math.max(1, Math.min(wanted, Math.floor(context * least))) }
}
