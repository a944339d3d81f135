import type { IdeaTarget, TakeMode } from '../../shared/domain/drafting/draft-details.ts'
import type { DraftSettings } from '../../shared/domain/drafting/draft-settings.ts'
import { ideaStops } from '../../shared/domain/drafting/idea-sections.ts'
import type { PromptPart } from '../../shared/domain/drafting/take.ts'
import type { TemplatePack } from '../../shared/domain/model/template-pack.ts'
import type { CompletionRequest } from '../models/client/model-client.ts'
import type { DraftWords } from './draft-words.ts'
import { estimateTokens, toPrompt } from './prompt-tokens.ts'

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
  /** The passage of a rewrite. */
  passage?: string
}): Pick<
  CompletionRequest,
  'prompt' | 'maxTokens' | 'stops' | 'isEosBanned' | 'bannedPhrases' | 'unfinished'
> {
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
