import { describe, expect, it } from 'vitest'
import { durationText, percentText, speedText } from './figure-text.ts'
import { createTranslate } from './translate.ts'

const ja = createTranslate('ja')
const en = createTranslate('en')

describe('figures that people read', () => {
  it.each([
    [40, '0 秒', '0 s'],
    [3250, '3.3 秒', '3.3 s'],
    [9940, '9.9 秒', '9.9 s'],
    [9960, '10 秒', '10 s'],
    [42_400, '42 秒', '42 s'],
    [59_600, '1 分 0 秒', '1 min 0 s'],
    [3_725_000, '62 分 5 秒', '62 min 5 s'],
  ])('are no finer than of use: %i ms', (ms, inJapanese, inEnglish) => {
    expect(durationText(ja, ms)).toBe(inJapanese)
    expect(durationText(en, ms)).toBe(inEnglish)
  })

  it('have a decimal only where it says something', () => {
    expect([0.24, 3.333, 9.96, 52.34].map((speed) => speedText(ja, speed))).toEqual([
      '0.2 tok/s',
      '3.3 tok/s',
      '10 tok/s',
      '52 tok/s',
    ])
    expect([percentText(ja, 0.416), percentText(en, 0.416)]).toEqual(['42%', '42%'])
  })
})
