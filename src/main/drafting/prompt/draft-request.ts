import type { IdeaTarget, TakeMode } from '../../../shared/domain/drafting/draft-details.ts'
import type { DraftSettings } from '../../../shared/domain/drafting/draft-settings.ts'
import { ideaStops } from '../../../shared/domain/drafting/idea-sections.ts'
import type { PromptOrigin, PromptPart } from '../../../shared/domain/drafting/take.ts'
import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import type { Prompt } from '../../models/client/model-client.ts'
import type { ActiveModel } from '../../models/profiles/active-model.ts'
import type { DraftWords } from '../draft-words.ts'
import type { TokenCounter } from '../fitting/token-meter.ts'

/** Returns the limit of the answer. Units: tokens. */
export function outputTokens(
  mode: TakeMode,
  settings: Pick<DraftSettings, 'outputTokensGenerate' | 'outputTokensIdea'>,
  passage = '',
): number {
  if (mode === 'idea') return settings.outputTokensIdea
  // A passage may grow to twice its length.
  return Math.max(settings.outputTokensGenerate, 2 * estimateTokens([{ text: passage }]))
}

/**
 * Returns the request of a draft without its sampler and seed.
 *
 * Shape: our stops (the idea's, the template's) stand first, the user's after them. Prose may not end by itself
 * unless the user allows it; an idea may.
 */
export function draftRequest(draft: {
  parts: readonly PromptPart[]
  mode: TakeMode
  ideaTarget: IdeaTarget
  settings: Pick<
    DraftSettings,
    'outputTokensGenerate' | 'outputTokensIdea' | 'banEosToken' | 'stopSequences' | 'bannedPhrases'
  >
  template: Pick<TemplatePack, 'stops'>
  words: DraftWords
  passage?: string
}) {
  const { mode, settings } = draft
  const line = draft.parts.at(-1)?.origin === 'suffix' ? (draft.parts.at(-1)?.text ?? '') : ''
  // A model that has reached the following text may end there.
  const isFilledIn = draft.parts.some(({ origin }) => origin === 'following')
  const idea = mode === 'idea' ? ideaStops(draft.ideaTarget, draft.words) : []
  return {
    prompt: toPrompt(draft.parts),
    maxTokens: outputTokens(mode, settings, draft.passage),
    stops: [...new Set([...idea, ...draft.template.stops, ...settings.stopSequences])],
    isEosBanned: mode === 'generate' && settings.banEosToken && !isFilledIn,
    bannedPhrases: settings.bannedPhrases,
    ...(line !== '' && {
      unfinished: { line, instruction: draft.words.unfinished.replace('{{line}}', () => line) },
    }),
  }
}

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
  if (countTokens === null || isEstimateAccepted)
    return { isEstimate: true, count: async (parts) => estimateTokens(parts) }
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
