import { describe, expect, it } from 'vitest'
import { countCodePoints, indexCodePoints } from './code-points.ts'

const mixed = 'a𠮷猫👨‍👩‍👧\ud800b\udc00'.repeat(300)

describe('an index of code points', () => {
  it('agrees with the language at every place', () => {
    const points = [...mixed]
    const index = indexCodePoints(mixed)
    expect(index.length).toBe(points.length)
    expect(countCodePoints(mixed)).toBe(points.length)
    let utf16 = 0
    for (const [i, point] of points.entries()) {
      if (index.toUtf16(i) !== utf16 || index.toCodePoint(utf16) !== i) expect.fail(`code point ${i}`)
      if (point.length === 2 && index.toCodePoint(utf16 + 1) !== i) expect.fail(`inside of ${i}`)
      utf16 += point.length
    }
    expect(index.from(points.length - 3)).toBe(points.slice(-3).join(''))
  })

  it('clamps', () => {
    expect(indexCodePoints('猫').toUtf16(9)).toBe(1)
    expect(indexCodePoints('𠮷').from(-1)).toBe('𠮷')
    expect(indexCodePoints('').length).toBe(0)
  })
})
