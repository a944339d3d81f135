import { EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../tests/fakes/seeded-random.ts'
import { readManuscript } from '../../shared/text/manuscript/manuscript-marks.ts'
import { manuscriptMarks, marksOf } from './manuscript-marks.ts'

const PIECES = [
  '@//',
  '@/*',
  '@*/',
  '@break',
  '@startpoint',
  '@endpoint',
  '\n',
  '\n',
  '雨。',
  'a',
  '　',
  '@',
  '/',
]

describe('dimmed parts of a manuscript', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('are those of the whole text after any edits (seed %i)', (seed) => {
    const random = seededRandom(seed)
    const pick = () => PIECES[Math.floor(random() * PIECES.length)] ?? ''
    let state = EditorState.create({
      doc: Array.from({ length: 60 }, pick).join(''),
      extensions: manuscriptMarks(),
    })
    let seen = 0
    for (let step = 0; step < 150; step++) {
      const { length } = state.doc
      const from = Math.floor(random() * (length + 1))
      const to = Math.min(length, from + Math.floor(random() * 4))
      state = state.update({ changes: { from, to, insert: random() < 0.7 ? pick() : '' } }).state
      const expected = readManuscript(state.doc.toString()).marks
      seen += expected.length
      expect(perUnit(marksOf(state).map((mark) => ({ ...mark, kind: mark.className.slice(3) })))).toEqual(
        perUnit(expected),
      )
    }
    expect(seen).toBeGreaterThan(100)
  })

  it('grow with what is typed behind @endpoint', () => {
    const state = EditorState.create({ doc: '本文\n@endpoint\n残り', extensions: manuscriptMarks() })
    const longer = state.update({ changes: { from: state.doc.length, insert: 'の下書き' } }).state
    expect(marksOf(longer).at(-1)).toEqual({ from: 12, to: longer.doc.length, className: 'cm-outside' })
  })
})

/** Which kind every unit has, however the marks are cut. */
function perUnit(marks: readonly { from: number; to: number; kind: string }[]): string[] {
  const kinds: string[] = []
  for (const { from, to, kind } of marks) for (let at = from; at < to; at++) kinds.push(`${at} ${kind}`)
  return kinds.sort()
}
