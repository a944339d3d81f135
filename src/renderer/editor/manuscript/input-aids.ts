import { isolateHistory } from '@codemirror/commands'
import {
  EditorSelection,
  type EditorState,
  type Extension,
  Facet,
  Prec,
  StateEffect,
  StateField,
  type Text,
  type Transaction,
} from '@codemirror/state'
import { EditorView, keymap, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { InputAids } from '../../../shared/domain/app/editor-settings.ts'
import { type AidEdit, aidFor } from '../../../shared/text/manuscript/input-aids.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import { isCaretAtPlace, isComposing } from '../pending/pending-commands.ts'

/** Length of the text on each side of the caret that is enough to tell its language. Units: UTF-16. */
const languageSample = 1_000

const noAids = InputAids.parse({
  closesBrackets: false,
  swallowsSpace: false,
  pairsDashes: false,
  smartQuotes: false,
  smartDashes: false,
})

/** The aids that are switched on; none without a value. */
export const inputAidChoices = Facet.define<InputAids, InputAids>({ combine: ([first]) => first ?? noAids })

/** Shape: `closers` are positions right before brackets that an aid inserted; `paired` was just put at the caret. */
type Aided = { closers: readonly number[]; paired: string | null }

const aided = StateEffect.define<{ closer: number | null; paired: string | null }>()
const aidedField = StateField.define<Aided>({
  create: () => ({ closers: [], paired: null }),
  update(value, transaction) {
    const { changes, docChanged, selection } = transaction
    let next = value
    if (docChanged || selection) {
      const closers = value.closers.flatMap((at) => {
        const moved = changes.mapPos(at, 1)
        return changes.touchesRange(at, at + 1) === 'cover' ? [] : [moved]
      })
      next = { closers, paired: null }
    }
    for (const effect of transaction.effects) {
      if (!effect.is(aided)) continue
      const { closer, paired } = effect.value
      next = { closers: closer === null ? next.closers : [...next.closers, closer].slice(-20), paired }
    }
    return next
  },
})

/**
 * Helps with what is typed: brackets that close themselves, … and ― in pairs, the width of figures, quotes and
 * dashes. What an input method composes is left alone until it is committed. Each help is an undo step of its own.
 */
export function inputAids(): Extension {
  return [
    aidedField,
    EditorView.inputHandler.of((view, from, to, text, insert) => {
      const { state } = view
      if (isComposing(view) || state.readOnly || state.selection.ranges.length > 1) return false
      if (state.facet(inputAidChoices).swallowsSpace && isHabitualIndent(state, from, to, text)) {
        // Only once: a second space is intended.
        view.dispatch({ selection: { anchor: from } })
        return true
      }
      const transaction = insert()
      const help = helpFor(
        transaction.state,
        from,
        from + text.length,
        state.field(aidedField).paired,
        isCaretAtPlace(view),
      )
      if (help === null) return false
      view.dispatch(transaction)
      view.dispatch(help(view.state))
      return true
    }),
    committedText,
    Prec.high(keymap.of([{ key: 'Backspace', run: deletePair }])),
  ]
}

/** Follows compositions, and helps with what is there when the last of them is committed. */
const committedText = ViewPlugin.fromClass(
  class {
    #span: { from: number; to: number; isBehindIndent: boolean } | null = null
    #timer: ReturnType<typeof setTimeout> | undefined
    readonly #view: EditorView

    constructor(view: EditorView) {
      this.#view = view
    }

    update({ docChanged, changes }: ViewUpdate): void {
      if (this.#span === null || !docChanged) return
      const { from, to } = this.#span
      this.#span = { ...this.#span, from: changes.mapPos(from, -1), to: changes.mapPos(to, 1) }
    }

    destroy(): void {
      clearTimeout(this.#timer)
    }

    began(): void {
      clearTimeout(this.#timer)
      const { state } = this.#view
      const { from, to } = state.selection.main
      const isBehindIndent = isHabitualIndent(state, from, to, FULL_WIDTH_SPACE)
      // A composition that begins where the last one ended continues its span; behind a line break it begins its own.
      if (!isBehindIndent && this.#span?.to === from) return
      this.#span = { from, to, isBehindIndent }
    }

    ended(): void {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => {
        if (this.#span === null || isComposing(this.#view)) return
        const { from, isBehindIndent } = this.#span
        let { to } = this.#span
        this.#span = null
        const { readOnly, selection } = this.#view.state
        if (readOnly || from === to || selection.main.head !== to) return
        if (isBehindIndent && this.#takesIndent(from)) to -= FULL_WIDTH_SPACE.length
        const { state } = this.#view
        const help = helpFor(state, from, to, null, isCaretAtPlace(this.#view))
        if (help !== null) this.#view.dispatch(help(state))
      })
    }

    /** Removes an indent that was composed out of habit, alone or with the text behind it. */
    #takesIndent(from: number): boolean {
      const { state } = this.#view
      const to = from + FULL_WIDTH_SPACE.length
      if (!state.facet(inputAidChoices).swallowsSpace || state.sliceDoc(from, to) !== FULL_WIDTH_SPACE)
        return false
      const annotations = isolateHistory.of('full')
      this.#view.dispatch({ changes: { from, to }, annotations, userEvent: 'input.aid' })
      return true
    }
  },
  {
    eventObservers: {
      compositionstart() {
        this.began()
      },
      compositionend() {
        this.ended()
      },
    },
  },
)

/** Returns the aid for the text between two positions, which was typed just now; null where no aid applies. */
function helpFor(
  state: EditorState,
  from: number,
  to: number,
  paired: string | null,
  isOffered: boolean,
): ((state: EditorState) => Transaction) | null {
  const line = state.doc.lineAt(from)
  if (to > line.to) return null
  const choices = state.facet(inputAidChoices)
  const edit = aidFor(
    {
      before: state.sliceDoc(line.from, from),
      typed: state.sliceDoc(from, to),
      after: state.sliceDoc(to, line.to),
      get language() {
        return languageAround(state, from)
      },
      isClosed: state.field(aidedField).closers.includes(to),
      paired,
      isOffered,
    },
    choices,
  )
  return edit && ((current) => helpIn(current, line.from, edit))
}

function helpIn(
  state: EditorState,
  lineFrom: number,
  { changes, caret, hasClosed, paired }: AidEdit,
): Transaction {
  const at = lineFrom + caret
  return state.update({
    changes: changes.map(({ from, to, insert }) => ({ from: lineFrom + from, to: lineFrom + to, insert })),
    selection: EditorSelection.cursor(at),
    effects: aided.of({ closer: hasClosed ? at : null, paired }),
    annotations: isolateHistory.of('full'),
    userEvent: 'input.aid',
    scrollIntoView: true,
  })
}

/** Deletes both brackets with Backspace between a bracket and the one that was closed automatically. */
function deletePair(view: EditorView): boolean {
  const { state } = view
  const { main, ranges } = state.selection
  if (isComposing(view) || state.readOnly || !main.empty || ranges.length > 1) return false
  const pair = state.sliceDoc(main.head - 1, main.head + 1)
  if (!['「」', '『』', '（）'].includes(pair) || !state.field(aidedField).closers.includes(main.head))
    return false
  view.dispatch({
    changes: { from: main.head - 1, to: main.head + 1 },
    userEvent: 'delete.backward',
    scrollIntoView: true,
  })
  return true
}

export function languageAround(state: EditorState, at: number): 'ja' | 'en' | null {
  return languageOfText(state.sliceDoc(Math.max(0, at - languageSample), at + languageSample))
}

export const FULL_WIDTH_SPACE = '\u3000'

/** Enter has put an indent between these two places. */
export const indented = StateEffect.define<{ from: number; to: number }>()

/** The range of an indent that Enter has just inserted; null after anything else. */
export const freshIndent = StateField.define<{ from: number; to: number } | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(indented)) return effect.value
    return transaction.docChanged || transaction.selection ? null : value
  },
})

/** True for an indent that an author types by habit where Enter has just inserted one of the same kind. */
export function isHabitualIndent(state: EditorState, from: number, to: number, text: string): boolean {
  const indent = state.field(freshIndent, false)
  if (!indent || from !== indent.to || to !== from) return false
  return text === FULL_WIDTH_SPACE && state.sliceDoc(indent.from, indent.to) === FULL_WIDTH_SPACE
}

/** Length of the end of a text that is enough to tell its language. Units: UTF-16. */
const endSample = 2_000

/** The language in which a text without letters will be written. */
export const usualLanguage = Facet.define<() => 'ja' | 'en', () => 'ja' | 'en'>({
  combine: ([first]) => first ?? (() => 'ja'),
})

export function languageAtEnd(text: Text): 'ja' | 'en' | null {
  return languageOfText(text.sliceString(Math.max(0, text.length - endSample)))
}
