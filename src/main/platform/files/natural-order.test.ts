import { describe, expect, it } from 'vitest'
import { compareNatural, comparePaths } from './natural-order.ts'

describe('natural order', () => {
  it.each([
    [
      ['2.txt', '10.txt', '1.txt'],
      ['1.txt', '2.txt', '10.txt'],
    ],
    [
      ['第十章', '第二章', '第一章', '第二十一章'],
      ['第一章', '第二章', '第十章', '第二十一章'],
    ],
    [
      ['第１０話', '第2話'],
      ['第2話', '第１０話'],
    ],
    [
      ['b', 'A', 'a1'],
      ['A', 'a1', 'b'],
    ],
  ])('sorts %j', (names, wanted) => {
    expect([...names].sort(compareNatural)).toEqual(wanted)
  })

  it('keeps a folder together', () => {
    expect(['b.txt', 'a/2', 'a-1', 'a/10'].sort(comparePaths)).toEqual(['a/2', 'a/10', 'a-1', 'b.txt'])
  })

  it('is a total order', () => {
    const names = ['1', '01', '一', '一二三', '一人', 'a', 'A', 'ａ', '十', '10', '', '千一', 'か', 'カ']
    for (const a of names)
      for (const b of names) {
        expect(Math.sign(compareNatural(a, b)) + Math.sign(compareNatural(b, a))).toBe(0)
        for (const c of names) {
          if (compareNatural(a, b) < 0 && compareNatural(b, c) < 0)
            expect(compareNatural(a, c)).toBeLessThan(0)
        }
      }
  })
})
