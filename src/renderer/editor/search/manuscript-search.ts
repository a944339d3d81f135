import { search, searchPanelOpen } from '@codemirror/search'
import type { Extension } from '@codemirror/state'
import { EditorView, ViewPlugin } from '@codemirror/view'
import { PanelListeners } from './panel-listeners.ts'
import { checkExpressions } from './search-check.ts'
import { searchCount } from './search-count.ts'

/**
 * Search above the page.
 *
 * The panel takes its query when a key goes up; text from an input method's list, a menu or dictation comes
 * without one, so that every input is passed on as a change.
 */
export function manuscriptSearch(): Extension {
  return [
    search({ top: true, literal: true }),
    queryFollowsInput,
    caretBesidePanel,
    checkExpressions(),
    searchCount(),
  ]
}

/** The panel lies over the page: the line of the caret comes out from under it. */
const caretBesidePanel = EditorView.updateListener.of(({ state, startState, view }) => {
  if (!searchPanelOpen(state) || searchPanelOpen(startState)) return
  view.requestMeasure({
    read: () => undefined,
    write: () =>
      queueMicrotask(() => {
        if (searchPanelOpen(view.state))
          view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) })
      }),
  })
})

const queryFollowsInput = ViewPlugin.define((view) => {
  const listener = (event: Event) => {
    const isComposing = event instanceof InputEvent && event.isComposing
    const isField =
      event.target instanceof HTMLInputElement && event.target.classList.contains('cm-textfield')
    if (isField && !isComposing) event.target.dispatchEvent(new Event('change'))
  }
  return new PanelListeners(view, { types: ['input', 'compositionend'], listener, isCapture: false })
})
