import { EditorState, type Transaction } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { isHabitualIndent } from './fresh-indent.ts'
import { insertIndent, manuscriptKeymap, newLine } from './manuscript-keymap.ts'

function run(command: typeof newLine, doc: string, selection = doc.length): EditorState {
  const state = EditorState.create({ doc, selection: { anchor: selection }, extensions: manuscriptKeymap() })
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
    expect(run(insertIndent, '').doc.toString()).toBe('　')
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
})
