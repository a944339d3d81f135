import {
  type EditorState,
  type Extension,
  Facet,
  Prec,
  type Range,
  RangeSet,
  StateEffect,
  StateField,
} from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import type { EditorLabels } from '../editor-types.ts'
import {
  acceptPending,
  acceptSentenceAtCaret,
  askForWords,
  isComposing,
  pendingListener,
  retryPending,
  stopOrDismissPending,
  swapPending,
} from './pending-commands.ts'
import { pendingSeam } from './pending-seam.ts'
import {
  acceptedLength,
  closePending,
  isRunning,
  pendingField,
  pendingPlace,
  settlePending,
} from './pending-state.ts'
import { type HintOptions, PendingHintWidget, PendingTextWidget } from './pending-widgets.ts'

/** The editor's labels, for the parts that draw themselves. */
export const editorLabels = Facet.define<EditorLabels, EditorLabels | undefined>({
  combine: (labels) => labels[0],
})

const isMac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform)

/**
 * Shows what the model offers at its place and lets the author take it by keys: Tab all of it, Ctrl+→ (macOS: Cmd+→) a
 * sentence, Alt+← and Alt+→ (macOS: with Ctrl) the other takes of the place, Alt+R (macOS: Ctrl+R) the next one and,
 * past the last, a new one, Alt+↓ or a double click other words for one, Esc stops and then dismisses.
 *
 * No key is taken while an input method composes. The offer becomes text of the document only by these keys.
 */
export function pendingContinuation(): Extension {
  return [
    pendingField,
    EditorView.decorations.compute([pendingField, editorLabels, 'doc', 'selection'], decorator()),
    // A class, since the browser evaluates a rule with `:has` again at every change of the text.
    EditorView.contentAttributes.compute([pendingField], (state) =>
      pendingPlace(state) === null ? { class: '' } : { class: 'cm-hasPending' },
    ),
    Prec.highest(
      keymap.of([
        { key: 'Tab', run: acceptPending },
        { key: 'Mod-ArrowRight', run: acceptSentenceAtCaret },
        { key: 'Alt-r', mac: 'Ctrl-r', run: retryPending },
        { key: 'Alt-ArrowLeft', mac: 'Ctrl-Alt-ArrowLeft', run: swapPending(-1) },
        { key: 'Alt-ArrowRight', mac: 'Ctrl-Alt-ArrowRight', run: swapPending(1) },
        { key: 'Alt-ArrowDown', mac: 'Ctrl-Alt-ArrowDown', run: askForWords() },
        { key: 'Escape', run: stopOrDismissPending },
      ]),
    ),
    pendingSeam((view, count) => view.state.facet(editorLabels)?.moreLines(count) ?? ''),
    acceptedWash(),
    settleAfterComposition,
    EditorView.updateListener.of(({ view }) => endWhenTypedThrough(view)),
  ]
}

function decorator(): (state: EditorState) => DecorationSet {
  let hints: PendingHintWidget | null = null
  return (state) =>
    decorate(state, (options) => {
      // Most keys leave the hints as they are.
      if (!hints?.shows(options)) hints = new PendingHintWidget(options)
      return hints
    })
}

function decorate(state: EditorState, hintsFor: (options: HintOptions) => PendingHintWidget): DecorationSet {
  const place = pendingPlace(state)
  const labels = state.facet(editorLabels)
  if (!place || !labels) return Decoration.none
  const { pending, at, rest } = place
  const line = state.doc.lineAt(at)
  const isBlock = rest.startsWith('\n') && at === line.to
  const ranges: Range<Decoration>[] = []

  const text = isBlock ? rest.slice(1) : rest
  const widget = new PendingTextWidget(text, isBlock, labels.pending, pending)
  ranges.push(Decoration.widget({ widget, block: isBlock, side: 1 }).range(at))

  const { main } = state.selection
  const isAtCaret = main.empty && main.head === at
  const hints = hintsFor({ pending, hasText: rest.length > 0, isAtCaret, isMac, labels })
  ranges.push(Decoration.widget({ widget: hints, block: true, side: 2 }).range(line.to))
  return RangeSet.of(ranges, true)
}

/** Compares what an input method has typed with the offer once it is done. */
const settleAfterComposition = ViewPlugin.define(() => ({}), {
  eventObservers: {
    compositionend(_event, view) {
      setTimeout(() => {
        if (pendingPlace(view.state) && !isComposing(view)) view.dispatch({ effects: settlePending.of(null) })
      }, 0)
    },
  },
})

/** Ends an offer that the author has typed to its end, as if it were accepted. */
function endWhenTypedThrough(view: EditorView): void {
  const place = pendingPlace(view.state)
  if (place?.rest !== '' || isRunning(place.pending)) return
  const length = acceptedLength(place, 0)
  if (length === 0) return
  const { id } = place.pending
  queueMicrotask(() => {
    if (pendingPlace(view.state)?.pending.id !== id) return
    view.dispatch({ effects: closePending.of(id) })
    view.state.facet(pendingListener)({
      kind: 'accepted',
      id,
      acceptedLength: length,
      isWhole: true,
      wasRunning: false,
    })
  })
}

/** The background has faded after this time: its animation and a frame. Units: milliseconds. */
const washMs = 160

const clearWash = StateEffect.define<null>()
const wash = Decoration.mark({ class: 'cm-accepted' })

const acceptedField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    if (transaction.effects.some((effect) => effect.is(clearWash))) return Decoration.none
    const before = marks.size === 0 ? marks : marks.map(transaction.changes)
    if (!transaction.isUserEvent('input.take')) return before
    const added: { from: number; to: number }[] = []
    transaction.changes.iterChangedRanges((_fromA, _toA, from, to) => {
      if (to > from) added.push({ from, to })
    })
    return before.update({ add: added.map(({ from, to }) => wash.range(from, to)), sort: true })
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** Marks text that was just accepted with a background colour, which then fades out. */
function acceptedWash() {
  return [acceptedField, ViewPlugin.define((view) => new WashEnd(view))]
}

class WashEnd {
  readonly #view: EditorView
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(view: EditorView) {
    this.#view = view
  }

  update({ state, transactions }: ViewUpdate): void {
    if (state.field(acceptedField).size === 0) return
    const isAccepted = transactions.some((transaction) => transaction.isUserEvent('input.take'))
    if (!isAccepted && this.#timer !== undefined) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#view.dispatch({ effects: clearWash.of(null) })
    }, washMs)
  }

  destroy(): void {
    clearTimeout(this.#timer)
  }
}
