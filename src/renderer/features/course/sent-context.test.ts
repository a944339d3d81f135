import { describe, expect, it } from 'vitest'
import type { ContextMeter } from '../../../shared/domain/session/session.ts'
import { createTranslate } from '../../../shared/i18n/translate.ts'
import { contextParts } from './sent-context.tsx'

const meter: ContextMeter = {
  usedTokens: 3412,
  limitTokens: 8192,
  isEstimate: false,
  reusedTokens: 3390,
  layers: [],
  parts: [
    { kind: 'base', tokens: 250 },
    { kind: 'summary', tokens: 0 },
    { kind: 'messages', tokens: 3162 },
  ],
}

describe('what fills the context', () => {
  it('has one colour for each group of parts', () => {
    const kinds = ['base', 'tools', 'blocks', 'results'] as const
    const parts = kinds.map((kind) => ({ kind, tokens: 12 }))
    const told = contextParts({ ...meter, parts }, createTranslate('ja'))
    expect(told.map((part) => part.colour)).toEqual(['ink2', 'ink2', 'ink', 'info'])
  })

  it('is named with its figures; what costs nothing is left out', () => {
    const parts = contextParts(meter, createTranslate('ja'))
    expect(parts.map((part) => part.label)).toEqual(['基本 250', '会話 3,162'])
  })
})
