import { describe, expect, it } from 'vitest'
import { comparePaths, foldersFirst, sortedByPath } from './natural-order.ts'

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
    expect([...names].sort(comparePaths)).toEqual(wanted)
  })

  it('keeps a folder together', () => {
    expect(['b.txt', 'a/2', 'a-1', 'a/10'].sort(comparePaths)).toEqual(['a/2', 'a/10', 'a-1', 'b.txt'])
  })

  it('sorts what has paths as it compares them, and folders first', () => {
    const names = ['b.txt', '10', '2', '第十章', '第二章', 'a', 'Ａ', 'か/2', 'か/10']
    const items = names.map((path) => ({ path }))
    expect(sortedByPath(items, ({ path }) => path).map(({ path }) => path)).toEqual(
      [...names].sort(comparePaths),
    )
    const entries = [
      { name: '10', kind: 'file' },
      { name: '2', kind: 'file' },
      { name: 'z', kind: 'folder' },
      { name: 'b', kind: 'folder' },
    ]
    expect(foldersFirst(entries).map(({ name }) => name)).toEqual(['b', 'z', '2', '10'])
  })

  it('is a total order', () => {
    const names = ['1', '01', '一', '一二三', '一人', 'a', 'A', 'ａ', '十', '10', '', '千一', 'か', 'カ']
    for (const a of names)
      for (const b of names) {
        expect(Math.sign(comparePaths(a, b)) + Math.sign(comparePaths(b, a))).toBe(0)
        for (const c of names) {
          if (comparePaths(a, b) < 0 && comparePaths(b, c) < 0) expect(comparePaths(a, c)).toBeLessThan(0)
        }
      }
  })
})
