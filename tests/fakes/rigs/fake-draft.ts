import { readFileSync } from 'node:fs'
import { DraftWords } from '../../../src/main/drafting/draft-words.ts'
import type { FitRequest } from '../../../src/main/drafting/fitting/body-room.ts'
import type { TokenCounter } from '../../../src/main/drafting/fitting/token-meter.ts'
import { joinParts, type PromptFrame } from '../../../src/main/drafting/prompt/build-prompt.ts'
import { pickWith, rollDraft } from '../../../src/main/drafting/prompt/roll-draft.ts'
import type { DraftDetails } from '../../../src/shared/domain/drafting/draft-details.ts'
import {
  type DraftSettings,
  defaultDraftSettings,
  type SettledFitMode,
} from '../../../src/shared/domain/drafting/draft-settings.ts'
import { TemplatePack } from '../../../src/shared/domain/model/template-pack.ts'
import { emptyDraftDetails } from '../empty-draft-details.ts'

const resource = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../resources/${path}`, import.meta.url), 'utf8'))

export const japaneseWords = DraftWords.parse(resource('prompts/ja/draft-words.json'))

export function templatePack(id: string): TemplatePack {
  return TemplatePack.parse(resource(`templates/${id}.json`))
}

export function fakeFrame(
  details: Partial<DraftDetails> = {},
  settings: Partial<DraftSettings> = {},
): PromptFrame {
  const { fields } = rollDraft({ details: { ...emptyDraftDetails, ...details }, files: [] }, firstOption)
  return {
    mode: 'generate',
    fields,
    rating: 'general',
    settings: { ...defaultDraftSettings, ...settings },
    words: japaneseWords,
    template: templatePack('mistral'),
  }
}

/** Creates a request for fitting; the counter records the texts that it counted. */
export function fakeFitRequest(
  body: string,
  options: {
    countText?: (text: string) => number
    contextTokens?: number | undefined
    outputTokens?: number
    details?: Partial<DraftDetails>
    settings?: Partial<DraftSettings> & { fitMode?: SettledFitMode }
    mode?: 'generate' | 'idea'
    isEstimate?: boolean
  } = {},
): FitRequest & { asked: string[] } {
  const asked: string[] = []
  const countText = options.countText ?? ((text) => text.length)
  const counter: TokenCounter = {
    isEstimate: options.isEstimate ?? false,
    count: async (parts, _signal, { isPiece }) => {
      const text = joinParts(parts)
      asked.push(text)
      return countText(text) - (isPiece ? countText('') : 0)
    },
  }
  return {
    frame: { ...fakeFrame(options.details, options.settings), mode: options.mode ?? 'generate' },
    draft: rollDraft(
      { details: { ...emptyDraftDetails, ...options.details }, files: [{ path: 'a.txt', text: body }] },
      firstOption,
    ),
    settings: { ...defaultDraftSettings, fitMode: 'token_dynamic', ...options.settings },
    contextTokens: 'contextTokens' in options ? options.contextTokens : 4096,
    outputTokens: options.outputTokens ?? 500,
    counter,
    signal: new AbortController().signal,
    asked,
  }
}

/** The same numbers for the same seed (mulberry32). Units: uniform in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const firstOption = pickWith({ next: () => 0, id: () => '' })
