import { describe, expect, it } from 'vitest'
import { integerRange } from './integer-range.ts'

/** Converts a GBNF expression of these parts to a regular expression. */
function asPattern(expression: string): RegExp {
  return new RegExp(`^(?:${expression.replace(/"(\d*)"/g, '$1').replaceAll(' ', '')})$`)
}

describe('integerRange', () => {
  it.each([
    [0, 9],
    [1, 20],
    [0, 0],
    [1, 600],
    [7, 1234],
    [99, 101],
    [0, 999],
  ])('takes %i to %i and nothing else', (min, max) => {
    const pattern = asPattern(integerRange(min, max))
    for (let value = 0; value <= max + 50; value++) {
      expect(pattern.test(String(value)), String(value)).toBe(value >= min && value <= max)
    }
    for (const bad of ['', '-1', '01', '00', `${max}0`]) expect(pattern.test(bad), bad).toBe(false)
  })

  it('stays short', () => {
    expect(integerRange(1, 9_999_999).length).toBeLessThan(140)
    expect(integerRange(1, 600)).toBe('([1-9] | [1-9] [0-9] | [1-5] [0-9]{2} | "600")')
  })
})
