import { StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** The wash has faded after this time: its animation and a frame. Units: milliseconds. */
const washMs = 160

const clearWash = StateEffect.define<null>()
const wash = Decoration.mark({ class: 'cm-accepted' })

/** The text that was just accepted. */
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

/** Lets the wash of an accepted offer fade into the ink of the author's text. */
export function acceptedWash() {
  return [acceptedField, ViewPlugin.define((view) => new WashEnd(view))]
}

/** Takes the marks away when they have faded. */
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
