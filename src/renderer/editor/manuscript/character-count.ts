import { type ChangeSet, type EditorState, type Extension, StateField, type Text } from '@codemirror/state'
import {
  addCounts,
  countLine,
  countLines,
  type LineCount,
  lineWith,
  noCount,
  type TextCount,
} from '../../../shared/text/manuscript/character-count.ts'
import { commentsOf, marksReading } from '../manuscript-marks.ts'
import { isBehindRuby, lineChange } from './line-change.ts'

/**
 * Shape: `lines` as if there were no comments and commands; `hidden` is what these take away from it; `touched` are
 * the lines of the last change, which the next one most often touches again, and `line` its count where it is one.
 */
type Counts = { lines: TextCount; hidden: TextCount; touched: CountedSpan | null }
type CountedSpan = { from: number; to: number; count: TextCount; line: LineCount | null }

const countField = StateField.define<Counts>({
  create: (state) => ({
    lines: countIn(state.doc, 0, state.doc.length),
    hidden: hiddenIn(state),
    touched: null,
  }),
  update(value, { changes, docChanged, startState, newDoc, state }) {
    if (!docChanged) return value
    const { lines, hidden, touched } = value
    const { old, now } = changedLines(changes, startState.doc, newDoc)
    const isCounted = touched !== null && touched.from === old.from && touched.to === old.to
    const before = isCounted ? touched.count : countIn(startState.doc, old.from, old.to)
    const typed = isCounted && touched.line ? typedInto(touched.line, changes, startState.doc, newDoc) : null
    const after = typed === null ? countedSpan(newDoc, now) : { ...now, count: typed, line: typed }
    return {
      lines: addCounts(addCounts(lines, before, -1), after.count),
      // The lines are outside of comments and commands, which themselves did not change: the hidden count stays.
      hidden: isApart(startState, state, now) ? hidden : hiddenIn(state),
      touched: after,
    }
  },
})

/** Keeps the count of a document up to date from the lines that each change touches; needs `manuscriptMarks`. */
export function characterCount(): Extension {
  return countField
}

/** Units: those of `TextCount`, as everywhere in the window. */
export function countOf(state: EditorState): TextCount {
  const { lines, hidden } = state.field(countField)
  return addCounts(lines, hidden, -1)
}

/** Counts the selection. Computed only on request, for it may be the whole document. */
export function selectedCountOf(state: EditorState): TextCount {
  const { main } = state.selection
  if (main.empty) return noCount
  if (main.from === 0 && main.to === state.doc.length) return countOf(state)
  return countIn(state.doc, main.from, main.to, commentsOf(state, main.from, main.to))
}

/** Characters that count as one each whatever stands beside them, and part no word. */
const plain = /^[、。「」『』（）！？…―ぁ-ゖァ-ヺー一-鿿]*$/

/** Returns the count of a line after plain Japanese characters were typed or deleted; null: it must be counted anew. */
function typedInto(line: LineCount, changes: ChangeSet, oldDoc: Text, newDoc: Text): LineCount | null {
  const change = lineChange(changes, oldDoc, newDoc)
  if (change === null || !isBehindRuby(change)) return null
  const { inserted, deleted, before, rest } = change
  const isPlain =
    plain.test(inserted) && plain.test(deleted) && plain.test(before) && plain.test(rest.charAt(0))
  return isPlain ? lineWith(line, inserted.length - deleted.length) : null
}

function countedSpan(doc: Text, { from, to }: { from: number; to: number }): CountedSpan {
  const text = doc.sliceString(from, to)
  if (text.includes('\n')) return { from, to, count: countLines(text), line: null }
  const line = countLine(text)
  return { from, to, count: line, line }
}

/** Returns all lines that a transaction touches, in the old text and in the new. */
function changedLines(changes: ChangeSet, oldDoc: Text, newDoc: Text) {
  const old = { from: Number.POSITIVE_INFINITY, to: 0 }
  const now = { from: Number.POSITIVE_INFINITY, to: 0 }
  changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    old.from = Math.min(old.from, fromA)
    old.to = Math.max(old.to, toA)
    now.from = Math.min(now.from, fromB)
    now.to = Math.max(now.to, toB)
  })
  const whole = (doc: Text, span: { from: number; to: number }) => ({
    from: doc.lineAt(span.from).from,
    to: doc.lineAt(span.to).to,
  })
  return { old: whole(oldDoc, old), now: whole(newDoc, now) }
}

function isApart(before: EditorState, after: EditorState, span: { from: number; to: number }): boolean {
  return marksReading(before) === marksReading(after) && commentsOf(after, span.from, span.to).length === 0
}

function countIn(
  doc: Text,
  from: number,
  to: number,
  without: { from: number; to: number }[] = [],
): TextCount {
  if (without.length === 0) return countLines(doc.sliceString(from, to))
  let text = ''
  let at = from
  for (const span of without) {
    text += doc.sliceString(at, Math.max(at, Math.min(span.from, to)))
    at = Math.max(at, Math.min(span.to, to))
  }
  return countLines(text + doc.sliceString(at, to))
}

/** Counts what comments and commands take away, in only the lines that they touch. */
function hiddenIn(state: EditorState): TextCount {
  const { doc } = state
  let hidden = noCount
  const spans = commentsOf(state)
  for (let first = 0; first < spans.length; ) {
    const from = doc.lineAt(spans[first]?.from ?? 0).from
    let to = from
    let next = first
    for (let span = spans[next]; span && (next === first || span.from <= to); span = spans[++next])
      to = Math.max(to, doc.lineAt(span.to).to)
    const shown = countIn(doc, from, to, spans.slice(first, next))
    hidden = addCounts(hidden, addCounts(countIn(doc, from, to), shown, -1))
    first = next
  }
  return hidden
}
