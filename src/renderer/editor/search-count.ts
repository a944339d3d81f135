import { getSearchQuery, searchPanelOpen } from '@codemirror/search'
import { type EditorState, type Extension, Facet } from '@codemirror/state'
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Says where the selection stands among the matches. Shape: `at` is 0 where it is on none. */
export type MatchWords = (at: number, count: number, isMore: boolean) => string

/** The words beside the search field, in the window's language. */
export const matchWords = Facet.define<MatchWords, MatchWords | null>({ combine: ([words]) => words ?? null })

/** A text with more is not counted to its end at each key. */
const limitMatches = 9_999
const delayMs = 120

/** Shows in the search panel how many matches there are, and which of them is selected. */
export function searchCount(): Extension {
  return ViewPlugin.fromClass(
    class {
      #timer: ReturnType<typeof setTimeout> | undefined

      constructor(view: EditorView) {
        this.#later(view)
      }

      update({ view, state, startState, docChanged, selectionSet, transactions }: ViewUpdate): void {
        const isOther = transactions.some(({ effects }) => effects.length > 0)
        if (!searchPanelOpen(state) && !searchPanelOpen(startState)) return
        if (docChanged || selectionSet || isOther) this.#later(view)
      }

      destroy(): void {
        clearTimeout(this.#timer)
      }

      #later(view: EditorView): void {
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => show(view), delayMs)
      }
    },
  )
}

function show(view: EditorView): void {
  const panel = view.dom.querySelector('.cm-search')
  if (panel === null) return
  let place = panel.querySelector<HTMLElement>('.cm-search-count')
  if (place === null) {
    place = document.createElement('span')
    place.className = 'cm-search-count'
    place.setAttribute('role', 'status')
    panel.querySelector('input')?.after(place)
  }
  const words = view.state.facet(matchWords)
  const figures = countMatches(view.state)
  place.textContent =
    words === null || figures === null ? '' : words(figures.at, figures.count, figures.isMore)
}

/** Null where nothing is looked for, or the expression is none. */
export function countMatches(state: EditorState): { at: number; count: number; isMore: boolean } | null {
  const query = getSearchQuery(state)
  if (query.search === '' || !query.valid) return null
  const { from, to } = state.selection.main
  let count = 0
  let at = 0
  const matches = query.getCursor(state)
  for (let next = matches.next(); !next.done; next = matches.next()) {
    count += 1
    if (next.value.from === from && next.value.to === to) at = count
    if (count >= limitMatches) return { at, count, isMore: true }
  }
  return { at, count, isMore: false }
}
