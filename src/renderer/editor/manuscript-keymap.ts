import { historyKeymap, redo, standardKeymap } from '@codemirror/commands'
import { closeSearchPanel, findNext, findPrevious, openSearchPanel } from '@codemirror/search'
import { EditorSelection, type Extension, type StateCommand } from '@codemirror/state'
import { keymap } from '@codemirror/view'

const FULL_WIDTH_SPACE = '\u3000'

/**
 * Begins a line with the white space that the line before begins with, character for character: a paragraph
 * indented by a full-width space is followed by one. An indent with nothing behind it moves down.
 */
export const newLine: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  const change = state.changeByRange((range) => {
    const line = state.doc.lineAt(range.from)
    const head = line.text.slice(0, range.from - line.from)
    const indent = /^\s*/.exec(head)?.[0] ?? ''
    const from = indent === head && line.to === range.from ? line.from : range.from
    return {
      changes: { from, to: range.to, insert: state.toText(`\n${indent}`) },
      range: EditorSelection.cursor(from + 1 + indent.length),
    }
  })
  dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input' }))
  return true
}

/**
 * Inserts a full-width space, the indent of a Japanese paragraph.
 *
 * Shift+Tab is not taken, and CodeMirror lets Esc, Tab through: the keyboard gets out of the text both ways.
 */
export const insertIndent: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  dispatch(
    state.update(state.replaceSelection(FULL_WIDTH_SPACE), { scrollIntoView: true, userEvent: 'input' }),
  )
  return true
}

/**
 * The keys of the manuscript. Ctrl+Enter, Ctrl+G, F5 and other chords of the window stay free; what CodeMirror's
 * default keymap does for code is left out.
 */
export function manuscriptKeymap(): Extension {
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
