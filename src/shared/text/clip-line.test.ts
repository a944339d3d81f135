import { describe, expect, it } from 'vitest'
import { clipLine, isClippedLine } from './clip-line.ts'
import { countGraphemes } from './graphemes.ts'

describe('clipLine', () => {
  it.each([
    ['short', 10, 'short'],
    ['a\nb\r\n\u2028c', 10, 'a b c'],
    ['  塔の時計  ', 10, '塔の時計'],
    ['塔の時計が止まった', 5, '塔の時計…'],
    ['👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 2, '👨‍👩‍👧…'],
    ['か\u3099か\u3099か\u3099', 2, 'か\u3099…'],
    ['one two', 5, 'one…'],
    ['', 5, ''],
  ])('%j at %i is %j', (text, limit, expected) => {
    expect(clipLine(text, limit)).toBe(expected)
    expect(countGraphemes(clipLine(text, limit))).toBeLessThanOrEqual(limit)
    expect(isClippedLine(clipLine(text, limit), limit)).toBe(true)
  })

  it('is bounded however many marks a character has', () => {
    for (const text of [
      `a${'\u0301'.repeat(100_000)}`,
      `${'👨‍👩‍👧'.repeat(5)}\u0301`.repeat(1_000),
      '\u200d'.repeat(5_000),
    ]) {
      const line = clipLine(text, 10)
      expect(line.length).toBeLessThanOrEqual(160)
      expect(isClippedLine(line, 10)).toBe(true)
    }
    expect(clipLine('👨‍👩‍👧‍👦'.repeat(100), 100)).toBe('👨‍👩‍👧‍👦'.repeat(100))
  })

  it('tells a line that would change', () => {
    expect(isClippedLine('a\nb', 10)).toBe(false)
    expect(isClippedLine('長い文', 2)).toBe(false)
  })
})
