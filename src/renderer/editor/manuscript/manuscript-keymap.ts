import {
  redo,
  redoDepth,
  redoSelection,
  standardKeymap,
  undo,
  undoDepth,
  undoSelection,
} from '@codemirror/commands'
import { closeSearchPanel, findNext, findPrevious, openSearchPanel } from '@codemirror/search'
import {
  EditorSelection,
  type EditorState,
  type Extension,
  type Line,
  type StateCommand,
  type Transaction,
} from '@codemirror/state'
import { keymap } from '@codemirror/view'
import {
  FULL_WIDTH_SPACE,
  freshIndent,
  indented,
  inputAidChoices,
  languageAround,
  usualLanguage,
} from './input-aids.ts'
import { wordKeys } from './word-steps.ts'

/** Limit of consecutive lines of dialogue that are searched backwards for narration. */
const limitDialogue = 50
const opensDialogue = /^[「『（〈《〝]/

/**
 * Begins a line with the white space that the line before begins with, character for character: a paragraph
 * indented by a full-width space is followed by one. An indent with nothing behind it moves down. Dialogue stands
 * without an indent; behind it comes the indent of the narration before it, which a bracket takes away again.
 */
export const newLine: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  let fresh: { from: number; to: number } | null = null
  const change = state.changeByRange((range) => {
    const line = state.doc.lineAt(range.from)
    const head = line.text.slice(0, range.from - line.from)
    const own = /^\s*/.exec(head)?.[0] ?? ''
    const indent = own === '' && range.from === line.to ? narrationIndent(state, line) : own
    const from = indent !== '' && indent === head && line.to === range.from ? line.from : range.from
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

/** Returns the indent of the nearest narration, where the line is dialogue and the aid takes indents from dialogue. */
function narrationIndent(state: EditorState, { number, text }: Line): string {
  if (!state.facet(inputAidChoices).closesBrackets || !opensDialogue.test(text)) return ''
  for (let at = number - 1; at > 0 && at > number - limitDialogue; at -= 1) {
    const earlier = state.doc.line(at).text
    if (earlier.startsWith(FULL_WIDTH_SPACE)) return FULL_WIDTH_SPACE
    if (earlier !== '' && !opensDialogue.test(earlier)) return ''
  }
  return ''
}

/**
 * Inserts the indent of a paragraph: a full-width space, or a tab in a text of another language. A text without
 * letters gets that of the work's other texts.
 *
 * Shift+Tab is not taken, and CodeMirror lets Tab through after Esc: the keyboard can leave the text both ways.
 */
export const insertIndent: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  const { from } = state.selection.main
  const language = languageAround(state, from) ?? state.facet(usualLanguage)()
  const indent = language === 'en' ? '\t' : FULL_WIDTH_SPACE
  dispatch(state.update(state.replaceSelection(indent), { scrollIntoView: true, userEvent: 'input' }))
  return true
}

/** The keys of the manuscript: no chord of the window (Ctrl+Enter, Ctrl+G, F5 …), no key for code. */
export function manuscriptKeymap(): Extension {
  return [freshIndent, manuscriptKeys()]
}

function manuscriptKeys(): Extension {
  return keymap.of([
    { key: 'Enter', run: newLine, shift: newLine },
    { key: 'Tab', run: insertIndent },
    { key: 'Mod-z', run: undoChange, preventDefault: true },
    { key: 'Mod-Shift-z', run: redoChange, preventDefault: true },
    { key: 'Mod-y', run: redoChange, preventDefault: true },
    { key: 'Mod-u', run: undoSelection, preventDefault: true },
    { key: 'Alt-u', mac: 'Mod-Shift-u', run: redoSelection, preventDefault: true },
    { key: 'Mod-f', run: openSearchPanel, scope: 'editor search-panel', preventDefault: true },
    { key: 'F3', run: findNext, shift: findPrevious, scope: 'editor search-panel', preventDefault: true },
    { key: 'Escape', run: closeSearchPanel, scope: 'editor search-panel' },
    ...wordKeys,
    ...standardKeymap,
    // Without an offer they do nothing: a browser would leave the page.
    { key: 'Alt-ArrowLeft', mac: 'Ctrl-Alt-ArrowLeft', preventDefault: true },
    { key: 'Alt-ArrowRight', mac: 'Ctrl-Alt-ArrowRight', preventDefault: true },
  ])
}

/** Undoes the last step that changed the text: a cancelled composition leaves steps without a change. */
export const undoChange: StateCommand = (target) => repeated(undo, undoDepth, target)

export const redoChange: StateCommand = (target) => repeated(redo, redoDepth, target)

function repeated(
  command: StateCommand,
  depthOf: (state: EditorState) => number,
  target: { state: EditorState; dispatch: (transaction: Transaction) => void },
): boolean {
  let { state } = target
  let isChanged = false
  while (!isChanged && depthOf(state) > 0) {
    const isDone = command({
      state,
      dispatch(transaction) {
        target.dispatch(transaction)
        isChanged = transaction.docChanged
        state = transaction.state
      },
    })
    if (!isDone) break
  }
  return isChanged
}
