import { getSearchQuery, searchPanelOpen } from '@codemirror/search'
import { type EditorState, type Extension, Facet } from '@codemirror/state'
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { CheckedQuery, limitMatches } from './search-check.ts'

/** The words beside the search field, in the window's language. */
export type SearchWords = {
  /** Says where the selection stands among the matches. Shape: `at` is 0 where it is on none. */
  matches(at: number, count: number, isMore: boolean): string
  tooSlow: string
}
export const searchWords = Facet.define<SearchWords, SearchWords | null>({
  combine: ([words]) => words ?? null,
})

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
  const words = view.state.facet(searchWords)
  place.textContent = words === null ? '' : saidOf(view.state, words)
}

function saidOf(state: EditorState, words: SearchWords): string {
  const query = getSearchQuery(state)
  if (query instanceof CheckedQuery && query.outcome === 'too-slow') return words.tooSlow
  if (query instanceof CheckedQuery && query.outcome === 'waiting') return '…'
  const figures = countMatches(state)
  return figures === null ? '' : words.matches(figures.at, figures.count, figures.isMore)
}

/** Counts the matches; null where the search is empty or the expression is not valid. */
export function countMatches(state: EditorState): { at: number; count: number; isMore: boolean } | null {
  const query = getSearchQuery(state)
  if (query.search === '' || !query.valid) return null
  const { from, to } = state.selection.main
  if (query instanceof CheckedQuery && typeof query.outcome === 'object') {
    const { spans, isMore } = query.outcome
    const index = spans.findIndex(
      (start, place) => place % 2 === 0 && start === from && spans[place + 1] === to,
    )
    return { at: index < 0 ? 0 : index / 2 + 1, count: spans.length / 2, isMore }
  }
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
