import { describe, expect, it } from 'vitest'
import { hunkBlocks, rowPairs, shownLines } from './hunk-rows.ts'
import { diffHunks } from './hunks.ts'

const blocksOf = (oldText: string, newText: string, around = 1) =>
  hunkBlocks(diffHunks(oldText, newText), shownLines(newText), around)

const numbered = (count: number, change: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, at) => `${change[at + 1] ?? at + 1}\n`).join('')

describe('hunkBlocks', () => {
  it('shows a change between unchanged lines, with the numbers of each side', () => {
    const [block] = blocksOf(numbered(5), numbered(5, { 3: 'three' }))
    expect(block).toMatchObject({ skipped: 1 })
    expect([...(block?.before ?? []), ...(block?.rows ?? []), ...(block?.after ?? [])]).toEqual([
      { kind: 'same', line: 2, text: '2', end: null },
      { kind: 'removed', line: 3, text: '3', end: null },
      { kind: 'added', line: 3, text: 'three', end: null },
      { kind: 'same', line: 4, text: '4', end: null },
    ])
  })

  it('shows every unchanged line at most once and counts what it leaves out', () => {
    const newText = numbered(20, { 3: 'a', 5: 'b', 8: 'c', 15: 'd' })
    const blocks = blocksOf(numbered(20), newText, 2)
    const same = blocks.flatMap(({ before, after }) => [...before, ...after].map((row) => row.line))
    expect(same).toEqual([1, 2, 4, 6, 7, 9, 10, 13, 14, 16, 17])
    expect(blocks.map((block) => block.skipped)).toEqual([0, 0, 0, 2])
  })

  it('numbers come from each text where lines were added above', () => {
    const [, block] = blocksOf('a\nb\nc\nd\ne\nf\n', 'x\na\nb\nc\nd\ne\nF\n')
    expect(block?.rows).toEqual([
      { kind: 'removed', line: 6, text: 'f', end: null },
      { kind: 'added', line: 7, text: 'F', end: null },
    ])
  })

  it('names line ends only where they are what differs', () => {
    const [ends] = blocksOf('a\r\n', 'a')
    expect(ends?.rows.map((row) => row.end)).toEqual(['crlf', 'none'])
    const [words] = blocksOf('a\r\nb\r\n', 'A\r\nb\r\n')
    expect(words?.rows).toEqual([
      { kind: 'removed', line: 1, text: 'a', end: null },
      { kind: 'added', line: 1, text: 'A', end: null },
    ])
  })

  it('a text that is new or gone is one block without anything around it', () => {
    expect(blocksOf('', 'a\nb\n')).toMatchObject([{ skipped: 0, before: [], after: [] }])
    expect(blocksOf('a\n', '')[0]?.rows).toHaveLength(1)
  })
})

describe('rowPairs', () => {
  it('places the n-th line that went beside the n-th that came', () => {
    const [block] = blocksOf('a\nb\nc\n', 'a\nB\nB2\nc\n')
    const pairs = rowPairs(block ?? { before: [], rows: [], after: [] })
    expect(pairs.map(({ left, right }) => [left?.text ?? null, right?.text ?? null])).toEqual([
      ['a', 'a'],
      ['b', 'B'],
      [null, 'B2'],
      ['c', 'c'],
    ])
  })
})
