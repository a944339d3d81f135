import { describe, expect, it } from 'vitest'
import type { DraftPreview } from '../../../shared/domain/drafting/draft-preview.ts'
import { createTranslate } from '../../../shared/i18n/translate.ts'
import { barParts, lastFigures, newTokens, waitingSeconds } from './context-figures.ts'

const preview: DraftPreview = {
  task: 'CONT_WITH_INFO',
  parts: [
    { origin: 'wrapper', text: '[INST]' },
    { origin: 'reference', text: '# タイトル' },
    { origin: 'body', text: '雨' },
  ],
  rolls: [],
  tokensByOrigin: { body: 3610, reference: 740, wrapper: 4, note: 0 },
  totalTokens: 4354,
  availableTokens: 7692,
  contextTokens: 8192,
  outputTokens: 500,
  isEstimate: false,
  keptChars: 1,
  bodyChars: 1,
  isShortened: false,
  reusableTokens: null,
  readSpeed: null,
  lore: null,
  loreRevision: '',
  story: null,
  problem: null,
}

describe('barParts', () => {
  it('follows the prompt and leaves out what costs nothing', () => {
    const parts = barParts(preview, createTranslate('ja'))
    expect(parts.map((part) => part.id)).toEqual(['wrapper', 'reference', 'body'])
    expect(parts[2]?.label).toContain('3,610')
  })
})

describe('newTokens', () => {
  it('are the whole prompt before the first run, whose wait is the longest', () => {
    expect(newTokens(preview)).toBe(4354)
    expect(newTokens({ ...preview, reusableTokens: 4000 })).toBe(354)
    expect(newTokens({ ...preview, problem: { code: 'model/none' } })).toBeNull()
  })
})

describe('waitingSeconds', () => {
  it('says at least one second and rounds long waits to five', () => {
    expect(waitingSeconds(10, 1000)).toBe(1)
    expect(waitingSeconds(1480, 100)).toBe(15)
    expect(waitingSeconds(5200, 100)).toBe(50)
  })
})

describe('lastFigures', () => {
  it('are those of the newest run whose prompt was read', () => {
    const figures = (predictedTokens?: number) => ({
      promptTokens: 900,
      reusedTokens: 400,
      isReuseEstimated: false,
      completionTokens: 1,
      maxTokens: 9,
      tokensPerSecond: null,
      elapsedMs: 0,
      ...(predictedTokens !== undefined && {
        reading: { predictedTokens, predictedMs: 2_000, tookMs: 1_800 },
      }),
    })
    const runs = [
      { startedAt: 1, figures: figures(10) },
      { startedAt: 2, figures: figures(20) },
      { startedAt: 3, figures: figures() },
    ]
    expect(lastFigures(runs)?.reading?.predictedTokens).toBe(20)
    expect(lastFigures([])).toBeUndefined()
  })
})
