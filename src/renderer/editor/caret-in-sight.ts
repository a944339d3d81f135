import { Annotation } from '@codemirror/state'
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Marks a transaction that shows another place than the caret's: the caret may be out of sight after it. */
const showsAnotherPlace = Annotation.define<true>()

/** Shows the line of a position in the middle of the page and leaves the caret where it is. */
export function showPlace(view: EditorView, position: number): void {
  const at = Math.max(0, Math.min(position, view.state.doc.length))
  view.dispatch({
    effects: EditorView.scrollIntoView(at, { y: 'center' }),
    annotations: showsAnotherPlace.of(true),
  })
}

/**
 * Keeps the caret in sight where it was in sight before the page got another size. CodeMirror holds the line at the
 * top of the page, and lines that wrap anew push the caret out at the bottom.
 */
export const caretInSight = ViewPlugin.define((view) => new CaretInSight(view))

class CaretInSight {
  readonly #view: EditorView
  readonly #resized: ResizeObserver
  #isInSight = false
  /** Size of the page when it was last read. Units: CSS pixels. */
  #width = 0
  #height = 0

  constructor(view: EditorView) {
    this.#view = view
    this.#resized = new ResizeObserver(() => this.#hearSize())
    this.#resized.observe(view.scrollDOM)
    view.scrollDOM.addEventListener('scroll', this.#look, { passive: true })
    this.#look()
  }

  update({ docChanged, selectionSet, transactions }: ViewUpdate): void {
    // Typing brings the caret into sight by itself, so nothing is measured while the author types.
    if (transactions.some((one) => one.annotation(showsAnotherPlace))) {
      this.#isInSight = false
      this.#look()
    } else if (transactions.some((one) => one.scrollIntoView || one.isUserEvent('input')))
      this.#isInSight = true
    else if (docChanged || selectionSet) this.#look()
  }

  destroy(): void {
    this.#resized.disconnect()
    this.#view.scrollDOM.removeEventListener('scroll', this.#look)
  }

  readonly #look = (): void => {
    this.#view.requestMeasure({
      key: this,
      read: () => {
        const isKnown = this.#width > 0
        if (isKnown && this.#isResized()) return
        this.#note(this.#seesCaret())
      },
    })
  }

  #hearSize(): void {
    if (this.#width === 0 || !this.#isResized()) return
    // After CodeMirror has measured the lines anew, and kept the one at the top.
    this.#view.requestMeasure({
      read: () => undefined,
      write: () => queueMicrotask(() => this.#bringBack()),
    })
  }

  #bringBack(): void {
    if (!this.#view.dom.isConnected) return
    if (this.#isInSight && !this.#seesCaret())
      this.#view.dispatch({ effects: EditorView.scrollIntoView(this.#view.state.selection.main.head) })
    this.#note(this.#isInSight || this.#seesCaret())
  }

  #note(isInSight: boolean): void {
    const { clientWidth, clientHeight } = this.#view.scrollDOM
    this.#isInSight = isInSight
    this.#width = clientWidth
    this.#height = clientHeight
  }

  #isResized(): boolean {
    const { clientWidth, clientHeight } = this.#view.scrollDOM
    return clientWidth !== this.#width || clientHeight !== this.#height
  }

  #seesCaret(): boolean {
    const { scrollDOM, state } = this.#view
    const caret = this.#view.coordsAtPos(state.selection.main.head)
    const page = scrollDOM.getBoundingClientRect()
    return caret !== null && caret.top >= page.top && caret.bottom <= page.bottom
  }
}

/**
 * Restores the caret at once when the text gets the focus by a key or a script. The browser puts the caret at the start
 * until the editor's next task, and text that is typed by then would land there.
 */
export const caretAtFocus = EditorView.domEventHandlers({ focus: (_event, view) => view.focus() })
