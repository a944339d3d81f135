import { searchPanelOpen } from '@codemirror/search'
import type { EditorView, ViewUpdate } from '@codemirror/view'

/** Listens on the editor's element only while the search panel is open: a key in the text calls nothing. */
export class PanelListeners {
  readonly #view: EditorView
  readonly #types: readonly string[]
  readonly #listener: (event: Event) => void
  readonly #isCapture: boolean
  #isListening = false

  constructor(
    view: EditorView,
    {
      types,
      listener,
      isCapture,
    }: {
      types: readonly string[]
      listener: (event: Event) => void
      isCapture: boolean
    },
  ) {
    this.#view = view
    this.#types = types
    this.#listener = listener
    this.#isCapture = isCapture
    this.#listen(searchPanelOpen(view.state))
  }

  update({ state }: ViewUpdate): void {
    this.#listen(searchPanelOpen(state))
  }

  destroy(): void {
    this.#listen(false)
  }

  #listen(isOpen: boolean): void {
    if (isOpen === this.#isListening) return
    this.#isListening = isOpen
    const { dom } = this.#view
    for (const type of this.#types) {
      if (isOpen) dom.addEventListener(type, this.#listener, this.#isCapture)
      else dom.removeEventListener(type, this.#listener, this.#isCapture)
    }
  }
}
