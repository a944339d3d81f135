import { ChangeSet, EditorState, Text } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../tests/fakes/seeded-random.ts'
import { readManuscript } from '../../shared/text/manuscript/manuscript-marks.ts'
import { findMarkLines, manuscriptMarks, readMarks, updateMarkLines } from './manuscript-marks.ts'

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

describe('marks read from the lines with @', () => {
  it('dims what follows @endpoint to the end of the text, comments and plain lines alike', () => {
    const doc = Text.of(['本文', '@endpoint', '残り', '@// 覚え書き', '終わり', ''])
    expect(readMarks(doc, findMarkLines(doc))).toEqual([
      { from: 3, to: 12, kind: 'command' },
      { from: 12, to: 16, kind: 'outside' },
      { from: 16, to: 24, kind: 'comment' },
      { from: 24, to: 29, kind: 'outside' },
    ])
  })

  it('does not read anew for a change on lines without @', () => {
    const doc = Text.of(['@// 覚え書き', '雨が降る。', '@break', '夜。'])
    const changes = ChangeSet.of({ from: 12, insert: '夜、\n雨。' }, doc.length)
    expect(updateMarkLines(findMarkLines(doc), changes, changes.apply(doc)).isTouched).toBe(false)
  })
})

/** Returns the marks that a state shows. */
function marksOf(state: EditorState): { from: number; to: number; className: string }[] {
  const found: { from: number; to: number; className: string }[] = []
  for (const marks of state.facet(EditorView.decorations)) {
    if (typeof marks === 'function') continue
    marks.between(0, state.doc.length, (from, to, { spec }) => {
      found.push({ from, to, className: spec.class })
    })
  }
  return found
}
