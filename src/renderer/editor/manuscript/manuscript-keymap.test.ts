import { EditorState, type Transaction } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { InputAids } from '../../../shared/domain/app/editor-settings.ts'
import { inputAidChoices, isHabitualIndent, usualLanguage } from './input-aids.ts'
import { insertIndent, manuscriptKeymap, newLine } from './manuscript-keymap.ts'

function run(
  command: typeof newLine,
  doc: string,
  selection = doc.length,
  aids: Partial<InputAids> = {},
  usual: 'ja' | 'en' = 'ja',
): EditorState {
  const extensions = [
    manuscriptKeymap(),
    inputAidChoices.of(InputAids.parse(aids)),
    usualLanguage.of(() => usual),
  ]
  const state = EditorState.create({ doc, selection: { anchor: selection }, extensions })
  let after = state
  const dispatch = (transaction: Transaction): void => {
    after = transaction.state
  }
  command({ state, dispatch })
  return after
}

describe('Tab', () => {
  it('indents as the language of the text does', () => {
    expect(run(insertIndent, '雨が降る。\n').doc.toString()).toBe('雨が降る。\n　')
    expect(run(insertIndent, 'It rained.\n').doc.toString()).toBe('It rained.\n\t')
  })

  it.each(['', '\n\n', '12\n'])('indents a text without letters as the others are indented: %j', (doc) => {
    expect(run(insertIndent, doc, doc.length, {}, 'ja').doc.toString()).toBe(`${doc}　`)
    expect(run(insertIndent, doc, doc.length, {}, 'en').doc.toString()).toBe(`${doc}\t`)
    expect(run(insertIndent, `${doc}雨`, 0, {}, 'en').doc.toString()).toBe(`　${doc}雨`)
  })
})

describe('the indent after Enter', () => {
  it('takes in the one that is typed by habit, once', () => {
    const state = run(newLine, '　雨が降る。')
    expect(state.doc.toString()).toBe('　雨が降る。\n　')
    const at = state.doc.length
    expect(isHabitualIndent(state, at, at, '　')).toBe(true)
    expect(isHabitualIndent(state, at, at, '「')).toBe(false)
    const later = state.update({ selection: { anchor: at } }).state
    expect(isHabitualIndent(later, at, at, '　')).toBe(false)
  })

  it('leaves what is typed where there was none', () => {
    const state = run(newLine, '雨が降る。')
    expect(isHabitualIndent(state, state.doc.length, state.doc.length, '　')).toBe(false)
  })

  it.each([
    ['　雨が降る。\n「雨だ」', '\n　'],
    ['　雨が降る。\n「雨だ」\n\n『そうね』', '\n　'],
    ['　雨が降る。\n「雨だ」\n　', '\n　'],
    ['雨が降る。\n「雨だ」', '\n'],
    ['「雨だ」', '\n'],
    ['　雨が降る。\n雪も降る。', '\n'],
    ['　雨が降る。\n', '\n'],
  ])('behind dialogue is that of the narration before it: %j', (doc, added) => {
    expect(run(newLine, doc).doc.toString()).toBe(doc.replace(/　$/, '') + added)
  })

  it('leaves dialogue as it is without the aid that would take the indent away, and within a line', () => {
    const doc = '　雨が降る。\n「雨だ」'
    expect(run(newLine, doc, doc.length, { closesBrackets: false }).doc.toString()).toBe(`${doc}\n`)
    expect(run(newLine, doc, doc.length - 2).doc.toString()).toBe('　雨が降る。\n「雨\nだ」')
  })
})
