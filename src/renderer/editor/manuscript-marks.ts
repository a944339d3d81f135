import {
  type ChangeSet,
  type EditorState,
  type Extension,
  type Range,
  RangeSet,
  RangeValue,
  StateField,
  type Text,
} from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { type ManuscriptMark, readManuscript } from '../../shared/text/manuscript/manuscript-marks.ts'

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

class MarkLine extends RangeValue {
  override eq(): boolean {
    return true
  }
}

const markLine = new MarkLine()

/** The lines that contain `@`, by their starts: nothing else can be or end a mark. */
export type MarkLines = RangeSet<MarkLine>

export function findMarkLines(doc: Text): MarkLines {
  return RangeSet.of(markLinesIn(doc, 0, doc.length))
}

/**
 * Follows the lines through a change; only the lines that it touches are looked at.
 *
 * `isTouched` says whether a line with `@` came, went or changed, so that the marks must be read anew.
 */
export function updateMarkLines(
  lines: MarkLines,
  changes: ChangeSet,
  doc: Text,
): { lines: MarkLines; isTouched: boolean } {
  let moved = lines.map(changes)
  let isTouched = false
  changes.iterChangedRanges((_fromA, _toA, fromB, toB) => {
    const filterFrom = doc.lineAt(fromB).from
    const filterTo = doc.lineAt(toB).to
    const add = markLinesIn(doc, filterFrom, filterTo)
    let hasOld = false
    moved.between(filterFrom, filterTo, () => {
      hasOld = true
    })
    if (add.length === 0 && !hasOld) return
    isTouched = true
    moved = moved.update({ filterFrom, filterTo, filter: () => false, add })
  })
  return { lines: moved, isTouched }
}

/**
 * Returns the marks of a document, read from the lines with `@` alone.
 *
 * Every stretch of other lines is read as one LF; what the marks say of that LF holds for the whole stretch.
 */
export function readMarks(doc: Text, lines: MarkLines): ManuscriptMark[] {
  const pieces: Piece[] = []
  let text = ''
  const addPiece = (from: number, to: number, shown: string) => {
    if (from === to) return
    pieces.push({ from, to, shownFrom: text.length, shownTo: text.length + shown.length })
    text += shown
  }
  let from = 0
  for (const cursor = lines.iter(); cursor.value; cursor.next()) {
    const line = doc.lineAt(cursor.from)
    const end = Math.min(line.to + 1, doc.length)
    addPiece(from, line.from, '\n')
    addPiece(line.from, end, doc.sliceString(line.from, end))
    from = end
  }
  if (pieces.length === 0) return []
  addPiece(from, doc.length, '\n')
  return readManuscript(text).marks.map((mark) => ({
    ...mark,
    from: inDocument(pieces, mark.from, false),
    to: inDocument(pieces, mark.to, true),
  }))
}

/** A stretch of the document and where it stands in what is read. */
type Piece = { from: number; to: number; shownFrom: number; shownTo: number }

function inDocument(pieces: readonly Piece[], position: number, isEnd: boolean): number {
  const piece = isEnd
    ? pieces.find(({ shownTo }) => position <= shownTo)
    : pieces.find(({ shownTo }) => position < shownTo)
  if (!piece) return pieces.at(-1)?.to ?? 0
  if (position === piece.shownTo) return piece.to
  return piece.from + position - piece.shownFrom
}

function markLinesIn(doc: Text, from: number, to: number): Range<MarkLine>[] {
  const found: Range<MarkLine>[] = []
  let at = from
  for (const text of doc.iterRange(from, to)) {
    if (text === '\n') at += 1
    else {
      if (text.includes('@')) {
        const start = doc.lineAt(at).from
        if (found.at(-1)?.from !== start) found.push(markLine.range(start))
      }
      at += text.length
    }
  }
  return found
}
