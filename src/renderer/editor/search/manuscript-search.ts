import { search, searchPanelOpen } from '@codemirror/search'
import type { Extension } from '@codemirror/state'
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { checkExpressions, PanelListeners } from './search-check.ts'
import { searchCount } from './search-count.ts'

/**
 * Search above the page.
 *
 * The panel reads its query when a key goes up. Text from an input method's list, a menu or dictation arrives without a
 * key, so every input is passed on as a change.
 */
export function manuscriptSearch(): Extension {
  return [
    search({ top: true, literal: true }),
    queryFollowsInput,
    ViewPlugin.fromClass(RoomForPanel),
    checkExpressions(),
    searchCount(),
  ]
}

/** Space between the panel and the first line of the text, where that line is scrolled to. Units: pixels. */
const belowPanel = 16
/** Space that the page leaves above its first line without the panel, as in the theme. Units: pixels. */
const abovePage = 56

/** Makes room for the panel over the page without moving visible text, and brings the caret out from under it. */
class RoomForPanel {
  readonly #view: EditorView
  #room = 0

  constructor(view: EditorView) {
    this.#view = view
    if (searchPanelOpen(view.state)) this.#open()
  }

  update({ state, startState }: ViewUpdate): void {
    if (searchPanelOpen(state) === searchPanelOpen(startState)) return
    if (searchPanelOpen(state)) this.#open()
    else this.#make(0)
  }

  destroy(): void {
    this.#make(0)
  }

  #open(): void {
    const view = this.#view
    view.requestMeasure({
      read: () => view.dom.querySelector('.cm-panels-top')?.getBoundingClientRect().height ?? 0,
      write: (height) => {
        if (!searchPanelOpen(view.state)) return
        this.#make(Math.max(0, Math.ceil(height + belowPanel - abovePage)))
        queueMicrotask(() => {
          if (searchPanelOpen(view.state))
            view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) })
        })
      },
    })
  }

  #make(room: number): void {
    const { dom, scrollDOM } = this.#view
    dom.style.setProperty('--search-room', `${room}px`)
    scrollDOM.scrollTop += room - this.#room
    this.#room = room
  }
}

const queryFollowsInput = ViewPlugin.define((view) => {
  const listener = (event: Event) => {
    const isComposing = event instanceof InputEvent && event.isComposing
    const isField =
      event.target instanceof HTMLInputElement && event.target.classList.contains('cm-textfield')
    if (isField && !isComposing) event.target.dispatchEvent(new Event('change'))
  }
  return new PanelListeners(view, ['input', 'compositionend'], listener, false)
})
