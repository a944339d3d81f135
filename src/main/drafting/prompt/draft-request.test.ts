import { describe, expect, it } from 'vitest'
import { japaneseWords, templatePack } from '../../../../tests/fakes/rigs/fake-draft.ts'
import { defaultDraftSettings } from '../../../shared/domain/drafting/draft-settings.ts'
import { draftRequest } from './draft-request.ts'

const draft = {
  parts: [
    { origin: 'wrapper' as const, text: '[INST]' },
    { origin: 'body' as const, text: '[INST]' },
  ],
  mode: 'generate' as const,
  ideaTarget: 'title' as const,
  settings: { ...defaultDraftSettings, stopSequences: ['＊＊＊', '<|im_end|>'], bannedPhrases: ['しかし'] },
  template: templatePack('chatml'),
  words: japaneseWords,
}

describe('what a draft asks of the model', () => {
  it('is prose that may not end by itself, with our stops before the user’s', () => {
    expect(draftRequest(draft)).toEqual({
      prompt: [
        { text: '[INST]', isSpecial: true },
        { text: '[INST]', isSpecial: false },
      ],
      maxTokens: 500,
      stops: ['<|im_end|>', '<|im_start|>', '＊＊＊'],
      isEosBanned: true,
      bannedPhrases: ['しかし'],
    })
  })

  it('is an idea that may end, and that ends at the next item', () => {
    const idea = draftRequest({ ...draft, mode: 'idea' })
    expect(idea).toMatchObject({ maxTokens: 1500, isEosBanned: false })
    expect(idea.stops[0]).toBe('\n# キーワード:')
  })
})
