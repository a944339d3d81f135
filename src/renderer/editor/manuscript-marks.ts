import { type EditorState, type Extension, RangeSet, StateField, type Text } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import type { ManuscriptMark } from '../../shared/text/manuscript/manuscript-marks.ts'
import { findMarkLines, type MarkLines, readMarks, updateMarkLines } from './mark-lines.ts'

/** A mark of shut-out text grows with text that is typed at its edges; marks of comments and commands do not. */
const DECORATIONS: Record<ManuscriptMark['kind'], Decoration> = {
  comment: Decoration.mark({ class: 'cm-comment' }),
  command: Decoration.mark({ class: 'cm-command' }),
  outside: Decoration.mark({ class: 'cm-outside', inclusive: true }),
}

/** Shape: `reading` is another object whenever the marks were read anew, not only moved. */
type Marks = { lines: MarkLines; decorations: DecorationSet; reading: object }

const marksField = StateField.define<Marks>({
  create: ({ doc }) => read(doc, findMarkLines(doc)),
  update(value, { changes, docChanged, newDoc }) {
    if (!docChanged) return value
    const { lines, isTouched } = updateMarkLines(value.lines, changes, newDoc)
    return isTouched ? read(newDoc, lines) : { ...value, lines, decorations: value.decorations.map(changes) }
  },
  provide: (field) => EditorView.decorations.from(field, ({ decorations }) => decorations),
})

function read(doc: Text, lines: MarkLines): Marks {
  const ranges = readMarks(doc, lines)
    .filter(({ from, to }) => from < to)
    .map(({ from, to, kind }) => DECORATIONS[kind].range(from, to))
  return { lines, decorations: RangeSet.of(ranges, true), reading: {} }
}

const diceMatcher = new MatchDecorator({
  regexp: /\{(?!\|*\})[^}\n]+\}/g,
  decoration: Decoration.mark({ class: 'cm-dice' }),
})

const dice = ViewPlugin.define(
  (view) => ({
    decorations: diceMatcher.createDeco(view),
    update(update: ViewUpdate) {
      this.decorations = diceMatcher.updateDeco(update, this.decorations)
    },
  }),
  { decorations: (plugin) => plugin.decorations },
)

/** Dims what the model never reads (comments, commands, what they shut out) and marks `{A|B}` in what is seen. */
export function manuscriptMarks(): Extension {
  return [marksField, dice]
}

/** Returns the comments and commands between two positions: they are no text. Empty where the state has no marks. */
export function commentsOf(
  state: EditorState,
  from = 0,
  to = state.doc.length,
): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = []
  state.field(marksField, false)?.decorations.between(from, to, (start, end, decoration) => {
    if (decoration !== DECORATIONS.outside) found.push({ from: start, to: end })
  })
  return found.sort((a, b) => a.from - b.from)
}

/** Returns another object whenever comments or commands came, went or changed at their ends. */
export function marksReading(state: EditorState): object | undefined {
  return state.field(marksField, false)?.reading
}

/** Returns the marks of a state that has the extension. */
export function marksOf(state: EditorState): { from: number; to: number; className: string }[] {
  const found: { from: number; to: number; className: string }[] = []
  state.field(marksField).decorations.between(0, state.doc.length, (from, to, { spec }) => {
    found.push({ from, to, className: spec.class })
  })
  return found
}
