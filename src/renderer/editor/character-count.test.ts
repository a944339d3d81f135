import { EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../tests/fakes/seeded-random.ts'
import { countCharacters } from '../../shared/text/count-characters.ts'
import { characterCount, charactersOf, selectedCharactersOf } from './character-count.ts'

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
  '한',
  '글',
]

describe('the count of characters', () => {
  it('is what a reader sees, without spaces and line ends', () => {
    const state = EditorState.create({ doc: '　葛\u{e0100}飾の👩🏽‍🚀。\n', extensions: characterCount() })
    expect(charactersOf(state)).toBe(5)
  })

  it.each([1, 2, 3, 4, 5, 6])(
    'stays exact under edits at any place, also between parts of a sign (seed %i)',
    (seed) => {
      const random = seededRandom(seed)
      const some = (count: number) =>
        Array.from({ length: count }, () => PIECES[Math.floor(random() * PIECES.length)] ?? '').join('')
      let state = EditorState.create({ doc: some(80), extensions: characterCount() })
      for (let step = 0; step < 150; step++) {
        const edge = () => Math.floor(random() * (state.doc.length + 1))
        const from = edge()
        const changes = [
          { from, to: Math.min(state.doc.length, from + Math.floor(random() * 4)), insert: some(2) },
        ]
        state = state.update({ changes }).state
        expect(charactersOf(state)).toBe(countCharacters(state.doc.toString()))
      }
    },
  )

  it('counts a selection', () => {
    const state = EditorState.create({
      doc: '雨が　降る。',
      selection: { anchor: 1, head: 4 },
      extensions: characterCount(),
    })
    expect(selectedCharactersOf(state)).toBe(2)
  })
})
