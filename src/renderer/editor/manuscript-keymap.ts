import { historyKeymap, redo, standardKeymap } from '@codemirror/commands'
import { closeSearchPanel, findNext, findPrevious, openSearchPanel } from '@codemirror/search'
import {
  EditorSelection,
  type EditorState,
  type Extension,
  type StateCommand,
  StateEffect,
  StateField,
} from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { languageOfText } from '../../shared/text/text-language.ts'

const FULL_WIDTH_SPACE = '\u3000'
/** Around the caret; enough to tell the language of a text. Units: UTF-16. */
const languageSample = 1_000
const indented = StateEffect.define<{ from: number; to: number }>()

/**
 * Begins a line with the white space that the line before begins with, character for character: a paragraph
 * indented by a full-width space is followed by one. An indent with nothing behind it moves down.
 */
export const newLine: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  let fresh: { from: number; to: number } | null = null
  const change = state.changeByRange((range) => {
    const line = state.doc.lineAt(range.from)
    const head = line.text.slice(0, range.from - line.from)
    const indent = /^\s*/.exec(head)?.[0] ?? ''
    const from = indent === head && line.to === range.from ? line.from : range.from
    if (indent !== '' && range.empty) fresh = { from: from + 1, to: from + 1 + indent.length }
    return {
      changes: { from, to: range.to, insert: state.toText(`\n${indent}`) },
      range: EditorSelection.cursor(from + 1 + indent.length),
    }
  })
  const effects = fresh === null || state.selection.ranges.length > 1 ? [] : [indented.of(fresh)]
  dispatch(state.update(change, { effects, scrollIntoView: true, userEvent: 'input' }))
  return true
}

/**
 * Inserts the indent of a paragraph: a full-width space, or a tab in a text of another language.
 *
 * Shift+Tab is not taken, and CodeMirror lets Esc, Tab through: the keyboard gets out of the text both ways.
 */
export const insertIndent: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  const { from } = state.selection.main
  const language = languageOfText(state.sliceDoc(Math.max(0, from - languageSample), from + languageSample))
  const indent = language === 'en' ? '\t' : FULL_WIDTH_SPACE
  dispatch(state.update(state.replaceSelection(indent), { scrollIntoView: true, userEvent: 'input' }))
  return true
}

/** Where Enter has just put an indent; null after anything else. */
const freshIndent = StateField.define<{ from: number; to: number } | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(indented)) return effect.value
    return transaction.docChanged || transaction.selection ? null : value
  },
})

/** Takes the indent that an author types by habit, where Enter has put one of the same kind a moment before. */
export function isHabitualIndent(state: EditorState, from: number, to: number, text: string): boolean {
  const indent = state.field(freshIndent, false)
  if (!indent || from !== indent.to || to !== from) return false
  return text === FULL_WIDTH_SPACE && state.sliceDoc(indent.from, indent.to) === FULL_WIDTH_SPACE
}

/**
 * The keys of the manuscript. Ctrl+Enter, Ctrl+G, F5 and other chords of the window stay free; what CodeMirror's
 * default keymap does for code is left out.
 */
export function manuscriptKeymap(): Extension {
  return [
    freshIndent,
    EditorView.inputHandler.of((view, from, to, text) => {
      if (!isHabitualIndent(view.state, from, to, text)) return false
      // Only once: a second one is meant.
      view.dispatch({ selection: { anchor: from } })
      return true
    }),
    manuscriptKeys(),
  ]
}

function manuscriptKeys(): Extension {
  return keymap.of([
    { key: 'Enter', run: newLine, shift: newLine },
    { key: 'Tab', run: insertIndent },
    { key: 'Mod-Shift-z', run: redo, preventDefault: true },
    { key: 'Mod-f', run: openSearchPanel, scope: 'editor search-panel', preventDefault: true },
    { key: 'F3', run: findNext, shift: findPrevious, scope: 'editor search-panel', preventDefault: true },
    { key: 'Escape', run: closeSearchPanel, scope: 'editor search-panel' },
    ...historyKeymap,
    ...standardKeymap,
  ])
}
