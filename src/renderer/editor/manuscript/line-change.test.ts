import { ChangeSet, Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { findRuby } from '../../../shared/text/manuscript/ruby.ts'
import { isBehindRuby, lineChange } from './line-change.ts'

const PIECES = [
  '漢',
  '字',
  'か',
  'a',
  '《',
  '》',
  '｜',
  '|',
  '《《',
  '》》',
  '　',
  '\n',
  '漢字《かんじ》',
  '《《今》》か',
  '漢字《かんじ》の',
  '👨',
]

describe('a change in one line', () => {
  it('is told with what stands around it', () => {
    const doc = Text.of(['一行', '雨が降る。'])
    const change = (from: number, to: number, insert: string) => {
      const changes = ChangeSet.of({ from, to, insert }, doc.length)
      return lineChange(changes, doc, changes.apply(doc))
    }
    expect(change(5, 6, 'も')).toMatchObject({ deleted: '降', inserted: 'も', before: 'が', rest: 'る。' })
    expect(change(3, 3, '小')).toMatchObject({ deleted: '', inserted: '小', before: '', rest: '雨が降る。' })
    expect(change(2, 3, '')).toBeNull()
    expect(change(8, 8, '\n')).toBeNull()
    expect(change(8, 8, '雨'.repeat(300))).toBeNull()
    const two = ChangeSet.of(
      [
        { from: 0, insert: '第' },
        { from: 4, insert: 'は' },
      ],
      doc.length,
    )
    expect(lineChange(two, doc, two.apply(doc))).toBeNull()
  })

  it.each([1, 2, 3])(
    'behind the notation leaves all of it as it was, and away from the caret (seed %i)',
    (seed) => {
      const random = seededRandom(seed)
      const some = (count: number) =>
        Array.from({ length: count }, () => PIECES[Math.floor(random() * PIECES.length)] ?? '').join('')
      let found = 0
      for (let step = 0; step < 6_000; step++) {
        const doc = Text.of(some(Math.floor(random() * 12)).split('\n'))
        const from = Math.floor(random() * (doc.length + 1))
        const to = Math.min(doc.length, from + Math.floor(random() * 3))
        const changes = ChangeSet.of(
          { from, to, insert: Text.of(some(Math.floor(random() * 2)).split('\n')) },
          doc.length,
        )
        const next = changes.apply(doc)
        const change = lineChange(changes, doc, next)
        if (change === null || !isBehindRuby(change)) continue
        const before = findRuby(doc.lineAt(change.fromA).text)
        const after = findRuby(next.lineAt(change.fromB).text)
        const place = change.fromB - next.lineAt(change.fromB).from
        expect(after, JSON.stringify([doc, next])).toEqual(before)
        for (const mark of after) expect(mark.to).toBeLessThan(place)
        if (after.length > 0) found += 1
      }
      expect(found).toBeGreaterThan(20)
    },
  )
})
