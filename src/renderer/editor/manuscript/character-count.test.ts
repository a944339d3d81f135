import { EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { countText } from '../../../shared/text/manuscript/character-count.ts'
import { manuscriptMarks } from '../manuscript-marks.ts'
import { characterCount, countOf, selectedCountOf } from './character-count.ts'

const extensions = [manuscriptMarks(), characterCount()]
const PIECES = [
  '雨',
  'か',
  '\u3099',
  '👨',
  '\u200d',
  '👩🏽',
  '葛\u{e0100}',
  '🇯',
  '🇵',
  '\n',
  '　',
  ' ',
  'e',
  '\u0301',
]
const MARKED = [
  '雨',
  'か',
  '\n',
  '\n',
  '《',
  '》',
  '｜',
  '《《',
  '》》',
  '@//',
  '@/*',
  '@*/',
  '@break',
  '@endpoint',
  'a ',
  '　',
]

/** `TSUGI_SOAK` plays more series of edits. */
const series = process.env.TSUGI_SOAK === undefined ? 4 : 100
const seeds = Array.from({ length: series }, (_, index) => index + 1)

describe('the count of a document', () => {
  it('is what a reader sees, without spaces, line ends, readings and comments', () => {
    const doc = '　葛\u{e0100}飾《かつしか》の👩🏽‍🚀。@// 直す\n'
    expect(countOf(EditorState.create({ doc, extensions })).characters).toBe(5)
  })

  it.each(seeds)('stays exact under edits at any place (seed %i)', (seed) => {
    const random = seededRandom(seed)
    const pieces = seed % 2 === 0 ? PIECES : MARKED
    const some = (count: number) =>
      Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)] ?? '').join('')
    let state = EditorState.create({ doc: some(80), extensions })
    for (let step = 0; step < 150; step++) {
      const edge = (from = 0) => from + Math.floor(random() * (state.doc.length + 1 - from))
      const from = edge()
      const to = Math.min(state.doc.length, from + Math.floor(random() * 4))
      const later = edge(to)
      const changes = [
        { from, to, insert: some(2) },
        ...(later > to ? [{ from: later, insert: some(1) }] : []),
      ]
      state = state.update({ changes }).state
      expect(countOf(state), JSON.stringify(state.doc.toString())).toEqual(countText(state.doc.toString()))
    }
  })

  it.each(seeds.slice(series / 2))('stays exact while somebody types in a line (seed %i)', (seed) => {
    const random = seededRandom(seed)
    const pieces = [...PIECES, ...MARKED, ...'雨風が降る。、「」…漢字', 'a', 'b']
    const piece = () => pieces[Math.floor(random() * pieces.length)] ?? ''
    let state = EditorState.create({ doc: '漢字《かんじ》の\nab|c《《今》》\n', extensions })
    let caret = 0
    for (let step = 0; step < 500; step++) {
      if (random() < 0.15) caret = Math.floor(random() * (state.doc.length + 1))
      const isDeletion = random() < 0.45 && caret > 0
      const insert = isDeletion ? '' : piece()
      state = state.update({ changes: { from: isDeletion ? caret - 1 : caret, to: caret, insert } }).state
      caret += isDeletion ? -1 : insert.length
      expect(countOf(state), JSON.stringify(state.doc.toString())).toEqual(countText(state.doc.toString()))
    }
  })

  it('counts a selection', () => {
    const doc = '雨が　降る。@// 直す'
    const state = (anchor: number, head: number) =>
      EditorState.create({ doc, selection: { anchor, head }, extensions })
    expect(selectedCountOf(state(1, 4)).characters).toBe(2)
    expect(selectedCountOf(state(3, doc.length)).characters).toBe(3)
    expect(selectedCountOf(state(2, 2)).characters).toBe(0)
  })
})
