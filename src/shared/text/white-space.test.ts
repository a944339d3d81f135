import { expect, it } from 'vitest'
import { isBlank, isWhiteSpace, normaliseLineEnds, trimWhiteSpace } from './white-space.ts'

it('is Unicode White_Space and U+001C–1F, and never the BOM', () => {
  for (let unit = 0; unit <= 0xffff; unit++) {
    const wanted = /\p{White_Space}/u.test(String.fromCharCode(unit)) || (unit >= 0x1c && unit <= 0x1f)
    if (isWhiteSpace(unit) !== wanted) expect.fail(`U+${unit.toString(16)}`)
  }
  expect(isBlank('\ufeff')).toBe(false)
})

it('trims by that, where JavaScript would not', () => {
  expect(trimWhiteSpace('\u0085　\ufeff a \u001f')).toBe('\ufeff a')
})

it('makes every line end an LF and nothing else', () => {
  expect(normaliseLineEnds('a\r\nb\rc\u2028d\u2029e\n\rf\vg\u0085h')).toBe('a\nb\nc\nd\ne\n\nf\vg\u0085h')
})
