import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../tests/fakes/seeded-random.ts'
import { clipGraphemes, countGraphemes, isPlain } from './graphemes.ts'

describe('graphemes', () => {
  it.each([
    ['猫が好き', 4],
    ['👨‍👩‍👧と𠮷', 3],
    ['か\u3099き', 2],
    ['ｶﾞ', 1],
    ['e\u0301', 1],
    ['©️', 1],
    ['〰️', 1],
    ['a\r\nb', 3],
    ['', 0],
  ])('%s has %i', (text, count) => {
    expect(countGraphemes(text)).toBe(count)
  })

  it('are those of the segmenter in any mixture', () => {
    const random = seededRandom(7)
    const pieces = [
      '雨',
      'a',
      'か',
      '\u3099',
      '☀',
      '\u200d',
      '👨',
      '🇯',
      '🇵',
      '\u0600',
      'e\u0301',
      '한',
      '\r',
      '\n',
      '　',
    ]
    const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })
    for (let turn = 0; turn < 2_000; turn++) {
      const text = Array.from({ length: 12 }, () => pieces[Math.floor(random() * pieces.length)]).join('')
      expect(countGraphemes(text), JSON.stringify(text)).toBe([...segmenter.segment(text)].length)
    }
  })

  it('are clipped whole', () => {
    expect(clipGraphemes('👨‍👩‍👧と猫', 2)).toBe('👨‍👩‍👧と')
    expect(clipGraphemes('猫', 5)).toBe('猫')
    expect(clipGraphemes('猫', 0)).toBe('')
  })

  it('never take the short way where two units may make one', () => {
    const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })
    for (let unit = 0; unit <= 0xffff; unit++) {
      const character = String.fromCharCode(unit)
      if (!isPlain(character)) continue
      for (const pair of [`${character}a`, `a${character}`, `${character}${character}`, `猫${character}`]) {
        if ([...segmenter.segment(pair)].length !== 2) expect.fail(`U+${unit.toString(16)}`)
      }
    }
  })
})
