import type { TemplatePack } from '../../shared/domain/model/template-pack.ts'
import type { DraftMode, IdeaTarget } from '../../shared/domain/work/draft-details.ts'
import type { DraftSettings } from '../../shared/domain/work/draft-settings.ts'
import { ideaStops } from '../../shared/domain/work/idea-sections.ts'
import type { PromptPart } from '../../shared/domain/work/take.ts'
import type { CompletionRequest } from '../models/client/model-client.ts'
import type { DraftWords } from './draft-words.ts'
import { toPrompt } from './prompt-tokens.ts'

/** How long the answer may be. Units: tokens. */
export function outputTokens(
  mode: DraftMode,
  settings: Pick<DraftSettings, 'outputTokensGenerate' | 'outputTokensIdea'>,
): number {
  return mode === 'idea' ? settings.outputTokensIdea : settings.outputTokensGenerate
}

/**
 * What a draft asks of the model besides its sampler and seed.
 *
 * Shape: our stops (the idea's, the template's) stand first, the user's after them. Prose may not end by itself
 * unless the user allows it; an idea may.
 */
export function draftRequest(draft: {
  parts: readonly PromptPart[]
  mode: DraftMode
  ideaTarget: IdeaTarget
  settings: Pick<
    DraftSettings,
    'outputTokensGenerate' | 'outputTokensIdea' | 'banEosToken' | 'stopSequences' | 'bannedPhrases'
  >
  template: Pick<TemplatePack, 'stops'>
  words: DraftWords
}): Pick<
  CompletionRequest,
  'prompt' | 'maxTokens' | 'stops' | 'isEosBanned' | 'bannedPhrases' | 'unfinished'
> {
  const { mode, settings } = draft
  const line = draft.parts.at(-1)?.origin === 'suffix' ? (draft.parts.at(-1)?.text ?? '') : ''
  const idea = mode === 'idea' ? ideaStops(draft.ideaTarget, draft.words) : []
  return {
    prompt: toPrompt(draft.parts),
    maxTokens: outputTokens(mode, settings),
    stops: [...new Set([...idea, ...draft.template.stops, ...settings.stopSequences])],
    isEosBanned: mode === 'generate' && settings.banEosToken,
    bannedPhrases: settings.bannedPhrases,
    ...(line !== '' && {
      unfinished: { line, instruction: draft.words.unfinished.replace('{{line}}', () => line) },
    }),
  }
}
