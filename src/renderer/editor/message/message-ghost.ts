import { isolateHistory } from '@codemirror/commands'
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, EditorView, WidgetType } from '@codemirror/view'

/** A text that is offered in the box and is no part of it. `isRest`: its beginning was accepted already. */
export type BoxGhost = { text: string; isRest: boolean }

const setGhost = StateEffect.define<string | null>()

/** The shown ghost. Any other change of the text, or of the caret in it, removes it. */
const ghostField = StateField.define<string | null>({
  create: () => null,
  update(ghost, transaction) {
    for (const effect of transaction.effects) if (effect.is(setGhost)) return effect.value
    const { main } = transaction.newSelection
    const isAtEnd = main.empty && main.head === transaction.newDoc.length
    return transaction.docChanged || !isAtEnd ? null : ghost
  },
})

export function ghostOf(state: EditorState): BoxGhost | null {
  const text = state.field(ghostField)
  return text === null ? null : { text, isRest: state.doc.length > 0 }
}

/** Shows a ghost where the box is empty, and takes away any that is there. */
export function showGhost(view: EditorView, text: string | null): void {
  const wanted = view.state.doc.length === 0 ? text : null
  if (view.state.field(ghostField) !== wanted) view.dispatch({ effects: setGhost.of(wanted) })
}

/** Puts `part` behind the text as one step of undo; what is left of the ghost stands behind it. */
export function takeIntoText(view: EditorView, part: string, rest: string): void {
  const from = view.state.doc.length
  view.dispatch({
    changes: { from, insert: part },
    selection: { anchor: from + part.length },
    effects: setGhost.of(rest === '' ? null : rest),
    annotations: isolateHistory.of('full'),
    userEvent: 'input.complete',
    scrollIntoView: true,
  })
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Returns the first word of a ghost with what stands before it; where it is the last word, all that is left. */
export function firstWord(text: string): string {
  const ends = [...words.segment(text)]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ index, segment }) => index + segment.length)
  return ends.length < 2 ? text : text.slice(0, ends[0])
}

class AsideWidget extends WidgetType {
  readonly className: 'cm-ghost' | 'cm-placeholder'
  readonly text: string

  constructor(className: AsideWidget['className'], text: string) {
    super()
    this.className = className
    this.text = text
  }

  override eq(other: AsideWidget): boolean {
    return other.className === this.className && other.text === this.text
  }

  override toDOM(): HTMLElement {
    const aside = document.createElement('span')
    aside.className = this.className
    aside.textContent = this.text
    // Screen readers get it from the box's attributes and hint: as text it would be taken for the message.
    aside.setAttribute('aria-hidden', 'true')
    return aside
  }

  override ignoreEvent(): boolean {
    return false
  }
}

/** The ghost, or the placeholder where there is none. `hintId`: the element that says how the ghost is accepted. */
export function ghostOrPlaceholder(labels: { placeholder: string; hintId: string }): Extension {
  const aside = (className: AsideWidget['className'], text: string, at: number) =>
    Decoration.set(Decoration.widget({ widget: new AsideWidget(className, text), side: 1 }).range(at))
  const placeholder = aside('cm-placeholder', labels.placeholder, 0)
  return [
    ghostField,
    EditorView.decorations.compute([ghostField, 'doc'], (state) => {
      const ghost = state.field(ghostField)
      if (ghost !== null) return aside('cm-ghost', ghost, state.doc.length)
      return state.doc.length === 0 ? placeholder : Decoration.none
    }),
    EditorView.contentAttributes.compute([ghostField], (state) => {
      const hasGhost = state.field(ghostField) !== null
      return {
        [hasGhost ? 'aria-describedby' : 'aria-placeholder']: hasGhost ? labels.hintId : labels.placeholder,
      }
    }),
  ]
}
