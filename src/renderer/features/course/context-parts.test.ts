import { describe, expect, it } from 'vitest'
import type { ContextMeter } from '../../../shared/domain/session.ts'
import { createTranslate } from '../../../shared/i18n/translate.ts'
import { contextParts, shareOf } from './context-parts.ts'

const meter: ContextMeter = {
  usedTokens: 3412,
  limitTokens: 8192,
  isEstimate: false,
  reusedTokens: 3390,
  parts: [
    { kind: 'base', tokens: 250 },
    { kind: 'summary', tokens: 0 },
    { kind: 'messages', tokens: 3162 },
  ],
}

describe('what fills the context', () => {
  it('is named with its figures; what costs nothing is left out', () => {
    const parts = contextParts(meter, createTranslate('ja'))
    expect(parts.map((part) => part.label)).toEqual(['基本 250', '会話 3,162'])
  })

  it('has no share where the length is not known, and never more than all', () => {
    expect(shareOf({ ...meter, limitTokens: null })).toBeNull()
    expect(shareOf({ ...meter, usedTokens: 9000 })).toBe(1)
    expect(shareOf(meter)).toBeCloseTo(0.4165, 3)
  })
})
