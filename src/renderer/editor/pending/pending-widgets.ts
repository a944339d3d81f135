import { type EditorView, WidgetType } from '@codemirror/view'
import type { WordSpan } from '../../../shared/domain/drafting/word-span.ts'
import type { EditorLabels, PendingContinuation } from '../editor-types.ts'
import {
  acceptPending,
  acceptPendingSentence,
  askForWords,
  retryPending,
  stopOrDismissPending,
  swapPending,
} from './pending-commands.ts'
import { tellHover } from './pending-hover.ts'
import { hasNextTake, isRunning } from './pending-state.ts'

/**
 * The pending text itself, in the flow of the author's line or as paragraphs of its own.
 *
 * Text that streams is appended to one text node: what stands above is neither rendered again nor moved.
 */
export class PendingTextWidget extends WidgetType {
  readonly text: string
  readonly isBlock: boolean
  readonly label: string
  readonly pending: PendingContinuation

  constructor(text: string, isBlock: boolean, label: string, pending: PendingContinuation) {
    super()
    this.text = text
    this.isBlock = isBlock
    this.label = label
    this.pending = pending
  }

  /** How much of the take's text is not in `text`. Units: UTF-16. */
  get hidden(): number {
    return this.pending.text.length - this.text.length
  }

  override eq(other: PendingTextWidget): boolean {
    return (
      this.text === other.text &&
      this.isBlock === other.isBlock &&
      this.label === other.label &&
      isRunning(this.pending) === isRunning(other.pending) &&
      this.pending.marked === other.pending.marked &&
      this.hidden === other.hidden
    )
  }

  override toDOM(view: EditorView): HTMLElement {
    const element = document.createElement(this.isBlock ? 'div' : 'span')
    element.addEventListener('dblclick', () => {
      // The browser has selected the word that was pressed.
      const selection = getSelection()
      const isInside = selection !== null && element.firstChild === selection.anchorNode
      const offset = isInside ? Math.min(selection.anchorOffset, selection.focusOffset) : 0
      askForWords(offset + (this.isBlock ? 1 : 0))(view)
    })
    tellHover(element, view, this.isBlock ? 1 : 0)
    element.className = this.isBlock ? 'cm-pending cm-pendingBlock' : 'cm-pending cm-pendingInline'
    const caret = document.createElement('span')
    caret.className = 'cm-pendingCaret'
    caret.setAttribute('aria-hidden', 'true')
    const node = document.createTextNode(this.text)
    element.append(node, caret)
    markWords(node, this.pending.marked, this.hidden)
    this.#describe(element)
    return element
  }

  override updateDOM(element: HTMLElement): boolean {
    const node = element.firstChild
    if (!(node instanceof Text) || element.matches('.cm-pendingBlock') !== this.isBlock) return false
    if (this.text.startsWith(node.data)) node.appendData(this.text.slice(node.data.length))
    else if (node.data.endsWith(this.text)) node.deleteData(0, node.data.length - this.text.length)
    else node.data = this.text
    markWords(node, this.pending.marked, this.hidden)
    this.#describe(element)
    return true
  }

  override destroy(element: HTMLElement): void {
    if (element.firstChild instanceof Text) markWords(element.firstChild, undefined, 0)
  }

  override get lineBreaks(): number {
    return this.isBlock ? 0 : this.text.split('\n').length - 1
  }

  #describe(element: HTMLElement): void {
    element.classList.toggle('cm-pendingWriting', isRunning(this.pending))
    element.classList.toggle('cm-pendingBlank', this.text === '' && !this.isBlock)
    // An attribute that is written again counts as changed, for every piece of text that streams.
    if (element.getAttribute('role') !== 'note') element.setAttribute('role', 'note')
    if (element.getAttribute('aria-label') !== this.label) element.setAttribute('aria-label', this.label)
  }
}

function isSameRun(one: PendingContinuation, other: PendingContinuation): boolean {
  return (
    one.phase === other.phase &&
    one.note === other.note &&
    one.nth === other.nth &&
    one.total === other.total &&
    one.isPlaceRunning === other.isPlaceRunning
  )
}

type Hint = { keys: string; label: string; command: (view: EditorView) => boolean }

export type HintOptions = {
  pending: PendingContinuation
  hasText: boolean
  /** True while the caret is at the place: only then Ctrl+→ accepts a sentence. */
  isAtCaret: boolean
  isMac: boolean
  labels: EditorLabels
}

/** The keys of the offer, which are buttons too, and the state of its run. */
export class PendingHintWidget extends WidgetType {
  readonly #options: HintOptions
  readonly #hints: Hint[]
  readonly #layout: string
  readonly #leave: string
  readonly note: string
  readonly isFailure: boolean

  constructor(options: HintOptions) {
    super()
    this.#options = options
    this.#hints = hintsOf(options)
    this.note = options.pending.note ?? ''
    this.isFailure = options.pending.phase === 'failed'
    const { nth = 1, total = 1 } = options.pending
    this.#leave = options.hasText ? options.labels.leave : ''
    this.#layout = JSON.stringify([
      this.#leave,
      nth,
      total,
      ...this.#hints.map(({ keys, label }) => [keys, label]),
    ])
  }

  /** True where another one with `options` would look the same. */
  shows({ pending, hasText, isAtCaret, labels }: HintOptions): boolean {
    const own = this.#options
    return (
      (pending === own.pending || isSameRun(pending, own.pending)) &&
      hasText === own.hasText &&
      isAtCaret === own.isAtCaret &&
      labels === own.labels
    )
  }

  override eq(other: PendingHintWidget): boolean {
    return (
      this === other ||
      (this.#layout === other.#layout && this.note === other.note && this.isFailure === other.isFailure)
    )
  }

  override toDOM(view: EditorView): HTMLElement {
    const row = document.createElement('div')
    row.className = 'cm-pendingHints'
    const note = document.createElement('span')
    note.className = 'cm-pendingNote'
    row.append(note)
    this.#render(row, view)
    return row
  }

  override updateDOM(row: HTMLElement, view: EditorView): boolean {
    this.#render(row, view)
    return true
  }

  override get estimatedHeight(): number {
    return 32
  }

  #render(row: HTMLElement, view: EditorView): void {
    const note = row.querySelector('.cm-pendingNote')
    if (!note) return
    if (note.textContent !== this.note) note.textContent = this.note
    note.classList.toggle('cm-pendingFailure', this.isFailure)
    if (row.dataset.layout === this.#layout) return
    row.dataset.layout = this.#layout
    const takes = (this.#options.pending.total ?? 1) > 1 ? [takesSwitch(this.#options, view)] : []
    const more = document.createElement('span')
    more.className = 'cm-pendingMore'
    const leave = document.createElement('span')
    leave.className = 'cm-pendingLeave'
    leave.textContent = this.#leave
    row.replaceChildren(
      note,
      more,
      ...takes,
      ...this.#hints.map((hint) => hintButton(hint, view)),
      ...(this.#leave === '' ? [] : [leave]),
    )
  }
}

/** Makes `‹ 2/4 ›`. */
function takesSwitch({ pending, labels, isMac }: HintOptions, view: EditorView): HTMLElement {
  const { nth = 1, total = 1 } = pending
  const element = document.createElement('span')
  element.className = 'cm-pendingTakes'
  const count = document.createElement('span')
  count.textContent = `${nth}/${total}`
  const step = (by: -1 | 1): HTMLElement => {
    const button = buttonFor(() => swapPending(by)(view))
    button.textContent = by < 0 ? '‹' : '›'
    button.disabled = by < 0 ? nth <= 1 : nth >= total
    const label = by < 0 ? labels.previousTake : labels.nextTake
    const keys = `${isMac ? '⌃⌥' : 'Alt '}${by < 0 ? '←' : '→'}`
    button.setAttribute('aria-label', label)
    button.title = `${label} (${keys})`
    return button
  }
  element.append(step(-1), count, step(1))
  return element
}

function hintButton({ keys, label, command }: Hint, view: EditorView): HTMLElement {
  const button = buttonFor(() => command(view))
  button.dataset.keys = keys
  const key = document.createElement('kbd')
  key.textContent = keys
  button.append(key, ` ${label}`)
  return button
}

/**
 * Makes a button that leaves the focus in the text. It acts when the mouse goes down: while text streams, the button may
 * have moved away or been made anew before the mouse goes up.
 */
function buttonFor(act: () => void): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.tabIndex = -1
  button.className = 'cm-pendingHint'
  button.addEventListener('mousedown', (event) => {
    event.preventDefault()
    if (event.button === 0) act()
  })
  button.addEventListener('click', ({ detail }) => {
    // Without a press of the mouse, as by a screen reader.
    if (detail === 0) act()
  })
  return button
}

function hintsOf({ pending, hasText, isAtCaret, isMac, labels }: HintOptions): Hint[] {
  const hints: Hint[] = []
  if (hasText) {
    hints.push({ keys: 'Tab', label: labels.accept, command: acceptPending })
    if (isAtCaret) {
      const keys = isMac ? '⌘ →' : 'Ctrl →'
      hints.push({ keys, label: labels.acceptSentence, command: acceptPendingSentence })
    }
  }
  if (hasText || !isRunning(pending)) {
    const label = hasNextTake(pending) ? labels.nextTake : labels.retry
    hints.push({ keys: isMac ? '⌃ R' : 'Alt R', label, command: retryPending })
  }
  const label = isRunning(pending) || pending.isPlaceRunning ? labels.stop : labels.dismiss
  hints.push({ keys: 'Esc', label, command: stopOrDismissPending })
  return hints
}

/** Name of the highlight, as in the theme's `::highlight()`. */
const highlightName = 'uncertain-word'
const noWords: readonly WordSpan[] = []
const drawnWords = new WeakMap<Node, { words: readonly WordSpan[]; hidden: number; ranges: Range[] }>()

/**
 * Marks words of the offer without an element of their own, as its text stays one text node.
 *
 * Units: UTF-16; `hidden` are the units of the take's text before the node's, negative where others stand before it.
 */
function markWords(node: Text, words: readonly WordSpan[] = noWords, hidden: number): void {
  const before = drawnWords.get(node)
  if (before ? before.words === words && before.hidden === hidden : words.length === 0) return
  const highlight = CSS.highlights.get(highlightName) ?? new Highlight()
  CSS.highlights.set(highlightName, highlight)
  for (const range of before?.ranges ?? []) highlight.delete(range)
  const ranges = words.flatMap(({ from, to }) => {
    if (to <= hidden || to - hidden > node.length) return []
    const range = document.createRange()
    range.setStart(node, Math.max(0, from - hidden))
    range.setEnd(node, to - hidden)
    return [range]
  })
  for (const range of ranges) highlight.add(range)
  drawnWords.set(node, { words, hidden, ranges })
}
