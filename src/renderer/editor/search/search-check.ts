import { getSearchQuery, SearchQuery, searchPanelOpen, setSearchQuery } from '@codemirror/search'
import { EditorState, type Extension, type Text, type Transaction } from '@codemirror/state'
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import type { ScanRequest, ScanResult } from './search-scan.ts'

/** Listens on the editor's element only while the search panel is open: a key in the text calls nothing. */
export class PanelListeners {
  readonly #view: EditorView
  readonly #types: readonly string[]
  readonly #listener: (event: Event) => void
  readonly #isCapture: boolean
  #isListening = false

  constructor(
    view: EditorView,
    types: readonly string[],
    listener: (event: Event) => void,
    isCapture: boolean,
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

/** State of an expression: its matches, too slow, or nothing known yet. */
type Outcome = ScanResult | 'waiting' | 'too-slow'

/**
 * A regular expression together with the text that it was tried on.
 *
 * CodeMirror runs an expression in the window's own thread, where one that backtracks without end stops everything. It
 * runs only a query that is `valid`; this one is valid only once a separate thread has run it to the text's end.
 */
export class CheckedQuery extends SearchQuery {
  override readonly valid: boolean
  readonly doc: Text
  readonly outcome: Outcome

  constructor(query: SearchQuery, doc: Text, outcome: Outcome) {
    super({
      search: query.search,
      replace: query.replace,
      caseSensitive: query.caseSensitive,
      wholeWord: query.wholeWord,
      literal: query.literal,
      regexp: true,
    })
    this.valid = typeof outcome === 'object'
    this.doc = doc
    this.outcome = outcome
  }
}

/** Holds back each regular expression that was not tried on exactly the text that a transaction leaves. */
export function holdExpressions(): Extension {
  return EditorState.transactionExtender.of((transaction) => {
    const query = queryOf(transaction)
    if (!query.regexp || (!query.valid && !(query instanceof CheckedQuery))) return null
    if (query instanceof CheckedQuery && query.doc === transaction.newDoc) return null
    return { effects: setSearchQuery.of(new CheckedQuery(query, transaction.newDoc, 'waiting')) }
  })
}

function queryOf({ effects, startState }: Transaction): SearchQuery {
  return effects.findLast((effect) => effect.is(setSearchQuery))?.value ?? getSearchQuery(startState)
}

/** Longer than any sensible expression takes for a whole book. */
const scanTimeoutMs = 500
const startTimeoutMs = 10_000
const delayMs = 120
export const limitMatches = 9_999

export type SearchThread = {
  postMessage(request: ScanRequest): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  terminate(): void
}

const openThread = (): SearchThread =>
  new Worker(new URL('./search-worker.ts', import.meta.url), { type: 'module' })

/**
 * Tries each regular expression of the search panel in a separate thread before the window runs it; one that does not
 * end in half a second is terminated. A button or Enter that is pressed meanwhile takes effect afterwards.
 */
export function checkExpressions(open: () => SearchThread = openThread): Extension {
  return [holdExpressions(), ViewPlugin.define((view) => new ExpressionCheck(view, open))]
}

class ExpressionCheck {
  readonly #view: EditorView
  readonly #open: () => SearchThread
  readonly #presses: PanelListeners
  #thread: SearchThread | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked: CheckedQuery | null = null
  #pressed: string | null = null

  constructor(view: EditorView, open: () => SearchThread) {
    this.#view = view
    this.#open = open
    this.#presses = new PanelListeners(view, ['click', 'keydown'], this.#press, true)
    this.#ask()
  }

  update(update: ViewUpdate): void {
    const { state } = update
    this.#presses.update(update)
    if (getSearchQuery(state) !== this.#asked) this.#ask()
    else if (!searchPanelOpen(state)) this.#end()
  }

  destroy(): void {
    this.#end()
    this.#presses.destroy()
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#thread?.terminate()
    this.#thread = null
    this.#asked = null
    this.#pressed = null
  }

  #ask(): void {
    const query = getSearchQuery(this.#view.state)
    if (!(query instanceof CheckedQuery) || query.outcome !== 'waiting') return
    if (!searchPanelOpen(this.#view.state)) return
    clearTimeout(this.#timer)
    this.#thread?.terminate()
    this.#thread = null
    this.#asked = query
    this.#timer = setTimeout(() => this.#scan(query), delayMs)
  }

  #scan(query: CheckedQuery): void {
    const thread = this.#open()
    this.#thread = thread
    const within = (timeoutMs: number) => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#settle(query, 'too-slow'), timeoutMs)
    }
    within(startTimeoutMs)
    thread.addEventListener('message', ({ data }) => {
      if (this.#thread !== thread) return
      if (data === 'begun') within(scanTimeoutMs)
      else this.#settle(query, data as ScanResult)
    })
    thread.postMessage({
      text: query.doc.toString(),
      search: query.search,
      isCaseSensitive: query.caseSensitive,
      isWholeWord: query.wholeWord,
      limit: limitMatches,
    })
  }

  #settle(query: CheckedQuery, outcome: ScanResult | 'too-slow'): void {
    const pressed = this.#pressed
    this.#end()
    this.#view.dispatch({ effects: setSearchQuery.of(new CheckedQuery(query, query.doc, outcome)) })
    if (pressed !== null && outcome !== 'too-slow') this.#button(pressed)?.click()
  }

  readonly #press = (event: Event): void => {
    const query = getSearchQuery(this.#view.state)
    if (!(query instanceof CheckedQuery) || query.valid) return
    const name = pressedButton(event)
    if (name === null || this.#button(name) === null) return
    event.preventDefault()
    event.stopPropagation()
    if (query.outcome === 'waiting') this.#pressed = name
  }

  #button(name: string): HTMLElement | null {
    return this.#view.dom.querySelector<HTMLElement>(`.cm-search button[name="${name}"]`)
  }
}

const searching = new Set(['next', 'prev', 'select', 'replace', 'replaceAll'])

/** Returns the button of the panel that a click or a key asks for; null where it asks for none. */
function pressedButton(event: Event): string | null {
  const { target } = event
  if (event instanceof KeyboardEvent) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return null
    const direction = event.shiftKey ? 'prev' : 'next'
    if (event.key === 'F3') return direction
    if (event.key !== 'Enter' || !(target instanceof HTMLInputElement)) return null
    if (!target.classList.contains('cm-textfield')) return null
    return target.name === 'replace' ? 'replace' : direction
  }
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('.cm-search button') : null
  return button !== null && searching.has(button.name) ? button.name : null
}
