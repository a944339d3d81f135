import type { ChangeSet, EditorState } from '@codemirror/state'
import type { EditorSettings } from '../../../shared/domain/app/editor-settings.ts'
import type { PageChoice } from '../../../shared/domain/work/work-file.ts'
import { setPageMeasures } from '../page-measures.ts'
import { type Chunk, chunkAt, chunksOf, chunksWithin, columnsBefore } from './vertical-layout.ts'
import { VerticalLines } from './vertical-lines.ts'

export type VerticalOptions = {
  parent: HTMLElement
  label: string
  settings: EditorSettings
  language: 'ja' | 'en'
  page: PageChoice
  state: EditorState
  /** Position that is shown first; `onPlace` reports where the author clicks. */
  position: number
  onPlace(position: number): void
}

const marginPx = 40

/** A text in vertical lines, to be read only. Only text near the page is in the DOM; the rest is estimated. */
export class VerticalView {
  readonly dom: HTMLElement
  readonly #scroller: HTMLElement
  readonly #inner: HTMLElement
  readonly #caret: HTMLElement
  readonly #figure: HTMLElement
  readonly #options: VerticalOptions
  readonly #resized: ResizeObserver
  #settings: EditorSettings
  #page: PageChoice
  #state: EditorState
  #lines: VerticalLines
  #chunks: Chunk[] = []
  readonly #shown = new Map<number, HTMLElement>()
  #size = { columnPx: 1, cells: 1, widthPx: 0, heightPx: 0 }
  #frame = 0
  /** Position that is kept in view when the text or the page changes. */
  #place: number

  constructor(options: VerticalOptions) {
    const { parent, label, settings, page, state, position } = options
    this.#options = options
    this.#settings = settings
    this.#page = page
    this.#state = state
    this.#lines = new VerticalLines(state)
    this.#place = position
    this.dom = element('manuscript-vertical', {
      position: 'absolute',
      inset: '0',
      background: 'var(--paper)',
    })
    this.#scroller = element('manuscript-vertical-page', {
      position: 'absolute',
      inset: '0',
      margin: '0 auto',
      overflowY: 'hidden',
      direction: 'rtl',
    })
    this.#inner = element('', { position: 'relative', height: '100%' })
    this.#caret = element('manuscript-vertical-caret', {
      position: 'absolute',
      height: '2px',
      background: 'var(--seam)',
      pointerEvents: 'none',
    })
    this.#figure = element('manuscript-vertical-figure', {
      position: 'absolute',
      left: '16px',
      bottom: '12px',
      color: 'var(--ink3)',
      fontSize: 'var(--small)',
      fontVariantNumeric: 'tabular-nums',
    })
    this.#scroller.tabIndex = 0
    this.#scroller.setAttribute('role', 'document')
    this.#scroller.setAttribute('aria-label', label)
    this.#inner.append(this.#caret)
    this.#scroller.append(this.#inner)
    this.dom.append(this.#scroller, this.#figure)
    this.#scroller.addEventListener('scroll', () => this.#draw())
    this.#scroller.addEventListener('wheel', (event) => this.#wheel(event), { passive: false })
    this.#scroller.addEventListener('keydown', (event) => this.#key(event))
    this.#scroller.addEventListener('click', (event) => this.#click(event))
    parent.append(this.dom)
    this.#measure()
    this.#resized = new ResizeObserver(() => this.#soon())
    this.#resized.observe(this.dom)
    this.reveal(position)
  }

  focus(): void {
    this.#scroller.focus({ preventScroll: true })
  }

  /** The position of the author: the caret, or the first position on the page where he has gone on reading. */
  get place(): number {
    return this.#place
  }

  /** Follows the text; drawn with the next frame. */
  changed(state: EditorState, changes: ChangeSet): void {
    let sameUntil = state.doc.length
    changes.iterChangedRanges((_fromA, _toA, fromB) => {
      sameUntil = Math.min(sameUntil, fromB)
    })
    this.#state = state
    this.#lines = new VerticalLines(state)
    this.#place = changes.mapPos(this.#place)
    this.#chunks = chunksOf(state.doc, this.#size.cells, this.#chunks, sameUntil)
    this.#soon()
  }

  setSettings(settings: EditorSettings, page: PageChoice): void {
    this.#settings = settings
    this.#page = page
    this.#soon()
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame)
    this.#resized.disconnect()
    this.dom.remove()
  }

  reveal(position: number): void {
    this.#place = Math.max(0, Math.min(position, this.#state.doc.length))
    const index = chunkAt(this.#chunks, this.#place)
    this.#scrollTo(columnsBefore(this.#chunks, index) * this.#size.columnPx)
    // The chunk is measured now, so a second scroll finds the column.
    this.#scrollTo(columnsBefore(this.#chunks, index) * this.#size.columnPx)
    const rect = this.#rectOf(this.#place)
    if (rect) {
      const right = this.#inner.getBoundingClientRect().right - rect.right
      const { columnPx, widthPx } = this.#size
      const pagePx = Math.floor(widthPx / columnPx) * columnPx
      this.#scrollTo(this.#isPaged ? Math.floor((right + 1) / pagePx) * pagePx : right - widthPx * 0.3)
    }
    this.#drawCaret()
  }

  get #isPaged(): boolean {
    return this.#settings.verticalMode === 'paged'
  }

  get #offset(): number {
    return Math.max(0, -this.#scroller.scrollLeft)
  }

  #soon(): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.#measure()
      this.reveal(this.#place)
    })
  }

  /** Reads the page's size; a change of it makes every measured column an estimate again. */
  #measure(): void {
    const page = this.#settings[this.#page]
    setPageMeasures(this.dom, this.#settings, this.#page)
    const columnPx = Math.round(page.fontSizePx * Math.max(1.6, page.lineHeight))
    const roomPx = Math.max(page.fontSizePx * 4, this.dom.clientHeight - 2 * marginPx)
    const cells = Math.floor(Math.min(roomPx, page.fontSizePx * page.measureEm) / page.fontSizePx)
    const whole = this.dom.clientWidth - 2 * marginPx
    const widthPx = this.#isPaged
      ? Math.max(1, Math.floor(whole / columnPx)) * columnPx
      : this.dom.clientWidth
    const before = this.#size
    this.#size = { columnPx, cells, widthPx, heightPx: cells * page.fontSizePx }
    this.#scroller.style.width = `${widthPx}px`
    this.#scroller.style.overflowX = this.#isPaged ? 'hidden' : 'auto'
    const isSame = before.columnPx === columnPx && before.cells === cells
    if (!isSame || this.#chunks.length === 0) this.#chunks = chunksOf(this.#state.doc, cells)
    for (const shown of this.#shown.values()) shown.remove()
    this.#shown.clear()
  }

  #scrollTo(offset: number): void {
    this.#setWidth()
    this.#scroller.scrollLeft = -Math.max(0, Math.round(offset))
    this.#draw()
  }

  #setWidth(): void {
    const { columnPx, widthPx } = this.#size
    const total = columnsBefore(this.#chunks, this.#chunks.length) * columnPx
    // The last page is a whole one, too, so that its place does not move.
    const width = this.#isPaged
      ? Math.ceil(total / widthPx) * widthPx
      : Math.max(total + 2 * marginPx, widthPx)
    this.#inner.style.width = `${width}px`
  }

  /** Adds the text near the page to the DOM, measures it, and removes the rest. */
  #draw(): void {
    const { columnPx, widthPx } = this.#size
    const first = this.#offset / columnPx
    const { from, to } = chunksWithin(this.#chunks, first - 10, (this.#offset + widthPx) / columnPx + 10)
    for (const [index, shown] of this.#shown) {
      if (index >= from && index < to) continue
      shown.remove()
      this.#shown.delete(index)
    }
    const pagesBefore = columnsBefore(this.#chunks, from)
    let moved = 0
    for (let index = from; index < to; index++) {
      const before = this.#chunks[index]?.columns ?? 0
      const start = columnsBefore(this.#chunks, index)
      this.#show(index)
      const columns = this.#chunks[index]?.columns ?? 0
      if (start + before <= first && start >= pagesBefore) moved += columns - before
    }
    this.#setWidth()
    for (let index = from, at = pagesBefore; index < to; index++) {
      const shown = this.#shown.get(index)
      if (shown) shown.style.right = `${at * columnPx + (this.#isPaged ? 0 : marginPx)}px`
      at += this.#chunks[index]?.columns ?? 0
    }
    // The text before the page was longer or shorter than estimated: the page itself stays.
    if (moved !== 0) this.#scroller.scrollLeft -= moved * columnPx
    this.#drawFigure()
  }

  #show(index: number): void {
    const chunk = this.#chunks[index]
    if (!chunk || this.#shown.has(index)) return
    const { columnPx, heightPx } = this.#size
    const shown = element('', {
      position: 'absolute',
      top: `calc((100% - ${heightPx}px) / 2)`,
      height: `${heightPx}px`,
      direction: 'ltr',
      writingMode: 'vertical-rl',
      whiteSpace: 'pre-wrap',
      lineBreak: 'strict',
      overflowWrap: 'anywhere',
      fontFamily: 'var(--manuscript-font)',
      fontSize: 'var(--manuscript-size)',
      fontKerning: 'none',
      lineHeight: `${columnPx}px`,
      color: 'var(--ink)',
    })
    shown.lang = this.#options.language
    shown.append(...this.#lines.paragraphs(chunk.from, chunk.to))
    this.#inner.append(shown)
    this.#shown.set(index, shown)
    if (chunk.isMeasured) return
    const columns = Math.round(shown.getBoundingClientRect().width / columnPx)
    this.#chunks[index] = { ...chunk, columns, isMeasured: true }
  }

  #rectOf(position: number): DOMRect | null {
    const shown = this.#shown.get(chunkAt(this.#chunks, position))
    const paragraphs = [...(shown?.querySelectorAll('p') ?? [])]
    const paragraph = paragraphs.findLast(({ dataset }) => Number(dataset.from) <= position) ?? paragraphs[0]
    return paragraph ? this.#lines.rectOf(paragraph, position) : null
  }

  #drawCaret(): void {
    const head = this.#state.selection.main.head
    const index = chunkAt(this.#chunks, head)
    const rect = this.#shown.has(index) ? this.#rectOf(head) : null
    this.#caret.hidden = rect === null
    if (!rect) return
    const page = this.#inner.getBoundingClientRect()
    this.#caret.style.width = `${Math.max(rect.width, 12)}px`
    this.#caret.style.right = `${page.right - rect.right}px`
    this.#caret.style.top = `${rect.top - page.top}px`
  }

  #drawFigure(): void {
    const { widthPx } = this.#size
    const pages = Math.max(1, Math.round(this.#inner.offsetWidth / widthPx))
    const page = Math.min(pages, Math.round(this.#offset / widthPx) + 1)
    this.#figure.textContent = this.#isPaged ? `${page} / ${pages}` : ''
  }

  #move(offset: number): void {
    this.#scrollTo(offset)
    const page = this.#scroller.getBoundingClientRect()
    const { columnPx, heightPx } = this.#size
    const y = page.top + (page.height - heightPx) / 2 + 4
    this.#place = this.#positionAt(page.right - columnPx / 2, y) ?? this.#place
    this.#drawCaret()
  }

  #positionAt(x: number, y: number): number | null {
    const found = document.caretPositionFromPoint(x, y)
    return found && this.#lines.positionOf(found.offsetNode, found.offset)
  }

  #wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.deltaY === 0) return
    event.preventDefault()
    if (this.#isPaged) this.#move(this.#offset + Math.sign(event.deltaY) * this.#size.widthPx)
    else this.#move(this.#offset + event.deltaY)
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const { columnPx, widthPx } = this.#size
    const pagePx = this.#isPaged ? widthPx : Math.max(columnPx, widthPx - 2 * columnPx)
    const stepPx = this.#isPaged ? widthPx : columnPx
    const steps: Record<string, number> = {
      ArrowLeft: stepPx,
      ArrowRight: -stepPx,
      ArrowDown: stepPx,
      ArrowUp: -stepPx,
      PageDown: pagePx,
      PageUp: -pagePx,
      ' ': event.shiftKey ? -pagePx : pagePx,
    }
    const step = steps[event.key]
    if (step !== undefined) this.#move(this.#offset + step)
    else if (event.key === 'Home') this.#move(0)
    else if (event.key === 'End') this.reveal(this.#state.doc.length)
    else return
    event.preventDefault()
  }

  #click(event: MouseEvent): void {
    const position = this.#positionAt(event.clientX, event.clientY)
    if (position === null) return
    this.#place = position
    this.#options.onPlace(position)
  }

  selected(state: EditorState): void {
    this.#state = state
    this.#drawCaret()
  }
}

function element(className: string, style: Partial<CSSStyleDeclaration>): HTMLElement {
  const made = document.createElement('div')
  made.className = className
  Object.assign(made.style, style)
  return made
}
