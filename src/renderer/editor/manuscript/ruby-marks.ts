import { type ChangeSet, type EditorState, type Extension, type Range, RangeSet } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view'
import { findRuby, type RubyMark, rubyLimits } from '../../../shared/text/manuscript/ruby.ts'
import { isBehindRuby, lineChange } from './line-change.ts'

/** A notation may begin this far before what is shown. Units: UTF-16. */
const reach = 2 * (rubyLimits.base + rubyLimits.reading) + 4

/** Larger changes redraw everything on the screen. Units: UTF-16. */
const limitRedrawn = 2_000
const limitLines = 20

class RubyWidget extends WidgetType {
  readonly base: string
  readonly reading: string

  constructor(base: string, reading: string) {
    super()
    this.base = base
    this.reading = reading
  }

  override eq(other: RubyWidget): boolean {
    return other.base === this.base && other.reading === this.reading
  }

  override toDOM(): HTMLElement {
    const ruby = document.createElement('ruby')
    ruby.className = 'cm-ruby'
    const rt = document.createElement('rt')
    rt.textContent = this.reading
    ruby.append(this.base, rt)
    return ruby
  }

  override ignoreEvent(): boolean {
    return false
  }
}

const source = Decoration.mark({ class: 'cm-rubySource' })
const emphasis = Decoration.mark({ class: 'cm-emphasis' })
const hidden = Decoration.replace({})

/** Draws readings and emphasis dots of the visible text; a notation that the selection touches stays as written. */
export function rubyMarks(): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet

      constructor(view: EditorView) {
        this.decorations = RangeSet.of(drawn(view), true)
      }

      update(update: ViewUpdate): void {
        const { docChanged, selectionSet, viewportMoved, view } = update
        // `viewportChanged` is true for every change of the text.
        if (viewportMoved) this.decorations = RangeSet.of(drawn(view), true)
        else if (docChanged && isTypedBehind(update)) this.decorations = this.decorations.map(update.changes)
        else if (docChanged || (selectionSet && this.decorations.size > 0))
          this.decorations = redrawn(update, this.decorations)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  )
}

/** True where the caret has written or deleted behind all notation of its line, which is then drawn as before. */
function isTypedBehind({ changes, startState, state }: ViewUpdate): boolean {
  const change = lineChange(changes, startState.doc, state.doc)
  if (change === null || !isBehindRuby(change)) return false
  const { fromA, toA, fromB, toB } = change
  return isCaretIn(startState, fromA, toA) && isCaretIn(state, fromB, toB)
}

function isCaretIn({ selection: { main, ranges } }: EditorState, from: number, to: number): boolean {
  return ranges.length === 1 && main.from >= from && main.to <= to
}

type Span = { from: number; to: number }

/** Draws what is on the screen within `span`. A notation ends in its line, and a span consists of whole lines. */
function drawn(view: EditorView, span: Span = { from: 0, to: view.state.doc.length }): Range<Decoration>[] {
  const { state } = view
  const ranges: Range<Decoration>[] = []
  let done = 0
  for (const visible of view.visibleRanges) {
    if (visible.from > span.to || visible.to < span.from) continue
    const first = state.doc.lineAt(visible.from)
    const from = Math.max(done, first.from, visible.from - reach, span.from)
    const to = Math.min(state.doc.lineAt(visible.to).to, visible.to + reach, span.to)
    if (from >= to) continue
    for (const mark of findRuby(state.sliceDoc(from, to))) {
      if (from + mark.from < done) continue
      ranges.push(...decorationsOf(state, mark, from))
      done = from + mark.to
    }
  }
  return ranges
}

/** Draws the lines that a change or the selection touches, and moves the rest. */
function redrawn({ changes, startState, state, view }: ViewUpdate, old: DecorationSet): DecorationSet {
  const spans = touchedLines(startState, state, changes)
  if (spans === null) return RangeSet.of(drawn(view), true)
  return spans.reduce((set, span) => {
    const add = drawn(view, span)
    if (add.length === 0 && isEmptyIn(set, span)) return set
    return set.update({ filterFrom: span.from, filterTo: span.to, filter: () => false, add, sort: true })
  }, old.map(changes))
}

function isEmptyIn(set: DecorationSet, { from, to }: Span): boolean {
  let isEmpty = true
  set.between(from, to, () => {
    isEmpty = false
    return false
  })
  return isEmpty
}

/** Returns the touched lines of the new text as disjoint spans; null where they are many. */
function touchedLines(before: EditorState, after: EditorState, changes: ChangeSet): Span[] | null {
  const touched: Span[] = after.selection.ranges.map(({ from, to }) => ({ from, to }))
  for (const { from, to } of before.selection.ranges)
    touched.push({ from: changes.mapPos(from, -1), to: changes.mapPos(to, 1) })
  changes.iterChangedRanges((_fromA, _toA, from, to) => touched.push({ from, to }))
  const lines: Span[] = []
  for (const { from, to } of touched.sort((a, b) => a.from - b.from)) {
    if (to - from > limitRedrawn || lines.length > limitLines) return null
    const last = lines.at(-1)
    const end = after.doc.lineAt(to).to
    if (last && from <= last.to) last.to = Math.max(last.to, end)
    else lines.push({ from: after.doc.lineAt(from).from, to: end })
  }
  return lines
}

function decorationsOf(state: EditorState, mark: RubyMark, offset: number): Range<Decoration>[] {
  const [from, to] = [offset + mark.from, offset + mark.to]
  const base = { from: offset + mark.base.from, to: offset + mark.base.to }
  if (state.selection.ranges.some((range) => range.from <= to && range.to >= from))
    return [source.range(from, to)]
  if (mark.kind === 'ruby') {
    const reading = state.sliceDoc(offset + mark.reading.from, offset + mark.reading.to)
    const widget = new RubyWidget(state.sliceDoc(base.from, base.to), reading)
    return [Decoration.replace({ widget }).range(from, to)]
  }
  if (mark.kind === 'escape') return [hidden.range(from, base.from)]
  return [hidden.range(from, base.from), emphasis.range(base.from, base.to), hidden.range(base.to, to)]
}

/** The target of a reading: a selection in one line, the word at the caret, or the notation around it. */
export type RubyTarget = {
  from: number
  to: number
  base: string
  /** Null where the word has none yet. */
  reading: string | null
  isEmphasis: boolean
}

const kanjiRun = /[\p{Script=Han}々〆〇〻]+/gu

/** Finds the target of a reading; null where nothing is selected and the caret stands at no kanji. */
export function rubyTarget(state: EditorState): RubyTarget | null {
  const { from, to, empty } = state.selection.main
  const line = state.doc.lineAt(from)
  const start = Math.max(line.from, from - reach)
  const text = state.sliceDoc(start, Math.min(line.to, to + reach))
  const place = { from: from - start, to: to - start }
  const mark = findRuby(text).find((one) => one.from <= place.from && place.to <= one.to)
  if (mark && mark.kind !== 'escape') {
    const reading = mark.kind === 'ruby' ? text.slice(mark.reading.from, mark.reading.to) : null
    const base = text.slice(mark.base.from, mark.base.to)
    return {
      from: start + mark.from,
      to: start + mark.to,
      base,
      reading,
      isEmphasis: mark.kind === 'emphasis',
    }
  }
  if (!empty) return { from, to, base: state.sliceDoc(from, to), reading: null, isEmphasis: false }
  for (const { index, 0: run } of text.matchAll(kanjiRun)) {
    if (index > place.from || index + run.length < place.from) continue
    return {
      from: start + index,
      to: start + index + run.length,
      base: run,
      reading: null,
      isEmphasis: false,
    }
  }
  return null
}

export function writeRuby(view: EditorView, target: RubyTarget, wanted: RubyNotation): void {
  if (view.state.readOnly) return
  const insert = notationOf(target.base, wanted)
  view.dispatch({
    changes: { from: target.from, to: target.to, insert },
    selection: { anchor: target.from + insert.length },
    userEvent: 'input.ruby',
    scrollIntoView: true,
  })
}

export type RubyNotation = { kind: 'ruby'; reading: string } | { kind: 'emphasis' } | { kind: 'none' }

export function notationOf(base: string, wanted: RubyNotation): string {
  if (wanted.kind === 'none') return base
  return wanted.kind === 'emphasis' ? `《《${base}》》` : `｜${base}《${wanted.reading}》`
}

export const rubyTheme = EditorView.theme({
  '.cm-ruby rt': { fontSize: '0.5em', lineHeight: '1', userSelect: 'none', fontKerning: 'none' },
  '.cm-rubySource': { color: 'var(--ink2, #5f594f)', backgroundColor: 'var(--seam-bg, #f6ecd6)' },
  '.cm-emphasis': { textEmphasis: 'filled sesame', textEmphasisPosition: 'over right' },
})
