import {
  EditorSelection,
  type EditorState,
  type Extension,
  type SelectionRange,
  type StateCommand,
} from '@codemirror/state'
import { EditorView, type KeyBinding, type MouseSelectionStyle } from '@codemirror/view'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
/** How far a line is searched on each side of a position; words are shorter. Units: UTF-16. */
const reach = 200

type Word = { from: number; to: number; isWord: boolean }

/** Returns the words of a line around a position and the pieces between them; a run of other signs is one piece. */
function wordsAround(state: EditorState, position: number): Word[] {
  const line = state.doc.lineAt(position)
  const from = Math.max(line.from, position - reach)
  const words: Word[] = []
  for (const { segment, index, isWordLike } of segmenter.segment(
    state.sliceDoc(from, Math.min(line.to, position + reach)),
  )) {
    const word = { from: from + index, to: from + index + segment.length, isWord: isWordLike === true }
    const last = words.at(-1)
    const isSpace = segment.trim() === ''
    const goesOn =
      last && !last.isWord && !word.isWord && isSpace === (state.sliceDoc(last.from, last.to).trim() === '')
    if (goesOn) last.to = word.to
    else words.push(word)
  }
  return words
}

/** Returns the next place where a word ends (forwards) or begins (backwards); a line end is a separate step. */
export function wordStep(state: EditorState, position: number, isForward: boolean): number {
  const line = state.doc.lineAt(position)
  if (isForward && position === line.to) return Math.min(state.doc.length, position + 1)
  if (!isForward && position === line.from) return Math.max(0, position - 1)
  const words = wordsAround(state, position).filter(({ from, to }) => state.sliceDoc(from, to).trim() !== '')
  if (isForward) return words.find(({ to }) => to > position)?.to ?? line.to
  return words.findLast(({ from }) => from < position)?.from ?? line.from
}

function step(isForward: boolean, extends_: boolean): StateCommand {
  return ({ state, dispatch }) => {
    const ranges = state.selection.ranges.map((range) => {
      const head = wordStep(state, range.head, isForward)
      return extends_ ? EditorSelection.range(range.anchor, head) : EditorSelection.cursor(head)
    })
    const selection = EditorSelection.create(ranges, state.selection.mainIndex)
    dispatch(state.update({ selection, scrollIntoView: true, userEvent: 'select' }))
    return true
  }
}

function remove(isForward: boolean): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false
    const change = state.changeByRange((range) => {
      const at = range.empty ? wordStep(state, range.head, isForward) : range.to
      const from = Math.min(range.from, at)
      return { changes: { from, to: Math.max(range.to, at) }, range: EditorSelection.cursor(from) }
    })
    const userEvent = isForward ? 'delete.forward' : 'delete.backward'
    dispatch(state.update(change, { scrollIntoView: true, userEvent }))
    return true
  }
}

/** Steps by the words of the language: Japanese has no spaces between them. */
export const wordKeys: readonly KeyBinding[] = [
  { key: 'Ctrl-ArrowLeft', mac: 'Alt-ArrowLeft', run: step(false, false), shift: step(false, true) },
  { key: 'Ctrl-ArrowRight', mac: 'Alt-ArrowRight', run: step(true, false), shift: step(true, true) },
  { key: 'Ctrl-Backspace', mac: 'Alt-Backspace', run: remove(false) },
  { key: 'Ctrl-Delete', mac: 'Alt-Delete', run: remove(true) },
]

/** Returns the word at a position, as a double click selects it. */
export function wordAt(state: EditorState, position: number): SelectionRange {
  const words = wordsAround(state, position)
  const word = words.find(({ from, to }) => from <= position && position < to) ?? words.at(-1)
  return word ? EditorSelection.range(word.from, word.to) : EditorSelection.cursor(position)
}

/** Selects a word of the language on a double click, and extends the selection by words on a drag. */
export function wordSelection(): Extension {
  return EditorView.mouseSelectionStyle.of((view, event) =>
    event.button === 0 && event.detail === 2 ? wordStyle(view, event) : null,
  )
}

function wordStyle(view: EditorView, event: MouseEvent): MouseSelectionStyle {
  const placeOf = ({ clientX, clientY }: MouseEvent) => view.posAtCoords({ x: clientX, y: clientY }, false)
  let start = placeOf(event)
  let before = view.state.selection
  return {
    update({ docChanged, changes }) {
      if (!docChanged) return
      start = changes.mapPos(start)
      before = before.map(changes)
    },
    get(current, extends_, isMultiple) {
      const first = wordAt(view.state, start)
      const last = wordAt(view.state, placeOf(current))
      const [from, to] = [Math.min(first.from, last.from), Math.max(first.to, last.to)]
      const isBackward = last.from < first.from
      if (extends_) return EditorSelection.create([before.main.extend(from, to)])
      const range = isBackward ? EditorSelection.range(to, from) : EditorSelection.range(from, to)
      return isMultiple ? before.addRange(range) : EditorSelection.create([range])
    },
  }
}
