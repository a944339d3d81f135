import type { PromptOrigin, PromptPart } from '../../shared/domain/drafting/take.ts'
import type { Prompt } from '../models/client/model-client.ts'
import type { ActiveModel } from '../models/profiles/active-model.ts'
import type { TokenCounter } from './fitting/token-meter.ts'

/** Returns a prompt's parts for a model: only the template's markers may become control tokens. */
export function toPrompt(parts: readonly PromptPart[]): Prompt {
  return parts.map(({ origin, text }) => ({ text, isSpecial: origin === 'wrapper' }))
}

/**
 * Returns the token counter of a draft: the model's own, or, where it has none or the user chose to go on without it,
 * a labelled estimate.
 */
export function tokenCounter(model: ActiveModel, isEstimateAccepted: boolean): TokenCounter {
  const { countTokens } = model.client
  if (countTokens === null || isEstimateAccepted) {
    return { isEstimate: true, count: async (parts) => estimateTokens(parts) }
  }
  return {
    isEstimate: false,
    count: (parts, signal, { isPiece }) => countTokens(toPrompt(parts), signal, { isPiece }),
  }
}

/**
 * Guesses tokens from characters where nothing counts them.
 *
 * Units: one for each character outside ASCII, one for four of ASCII, and one for the start.
 */
export function estimateTokens(parts: readonly Pick<PromptPart, 'text'>[]): number {
  let ascii = 0
  let other = 0
  for (const { text } of parts) {
    for (const character of text) {
      if (character < '\u0080') ascii += 1
      else other += 1
    }
  }
  return 1 + other + Math.ceil(ascii / 4)
}

/**
 * Divides the counted total among the origins of the text.
 *
 * Each part is counted by itself; the difference that tokens across the seams make goes to the largest part, so that
 * the figures add up to the total.
 */
export async function tokensByOrigin(
  parts: readonly PromptPart[],
  totalTokens: number,
  counter: TokenCounter,
  signal: AbortSignal,
): Promise<Partial<Record<PromptOrigin, number>>> {
  const tokens = new Map<PromptOrigin, number>()
  const largest = parts.toSorted((a, b) => b.text.length - a.text.length)[0]
  if (largest === undefined) return {}
  let rest = totalTokens
  for (const part of parts) {
    if (part === largest) continue
    const own = await counter.count([part], signal, { isPiece: true })
    tokens.set(part.origin, (tokens.get(part.origin) ?? 0) + own)
    rest -= own
  }
  tokens.set(largest.origin, (tokens.get(largest.origin) ?? 0) + Math.max(0, rest))
  return Object.fromEntries(tokens)
}
