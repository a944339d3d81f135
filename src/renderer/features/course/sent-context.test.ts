import { describe, expect, it } from 'vitest'
import type { ContextMeter } from '../../../shared/domain/session/session.ts'
import { createTranslate } from '../../../shared/i18n/translate.ts'
import { contextParts, groupedParts } from './sent-context.tsx'

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
  it('is named with its figures; what costs nothing is left out', () => {
    const parts = contextParts(meter, createTranslate('ja'))
    expect(parts.map((part) => part.label)).toEqual(['基本 250', '会話 3,162'])
  })

  it('is told in groups of the same colours, and in the same order', () => {
    const parts = [
      { kind: 'base', tokens: 250 },
      { kind: 'tools', tokens: 50 },
      { kind: 'blocks', tokens: 100 },
      { kind: 'results', tokens: 12 },
    ] as const
    const told = { ...meter, parts: [...parts] }
    const t = createTranslate('ja')
    expect(groupedParts(told, t).map(({ label, amount }) => [label, amount])).toEqual([
      ['指示 300', 300],
      ['ファイル 12', 12],
      ['方針 100', 100],
    ])
    const single = contextParts(told, t)
    for (const { colour } of groupedParts(told, t))
      expect(single.filter((part) => part.colour === colour)).not.toHaveLength(0)
    expect(new Set(single.map((part) => part.colour)).size).toBe(3)
  })
})
