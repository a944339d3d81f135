import type { Extension } from '@codemirror/state'
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { isRunning, pendingPlace } from './pending-state.ts'

/** Distance of the vertical bar from the text that it marks; that of hints is the same. Units: CSS pixels. */
const ruleDistance = 14
const ruleWidth = 2
const authorEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

type Box = { left: number; top: number; width: number; height: number }
type Shown = {
  rule: Box
  wash: Box[]
  /** How far the offer goes on below what is seen. */
  hiddenPx: number
  lineHeight: number
}

/**
 * Draws a vertical bar along the lines of the offer and a background behind its text, counts its lines below the
 * visible part, and scrolls with a text that streams until the author scrolls or types.
 */
export function pendingSeam(moreLines: (view: EditorView, count: number) => string): Extension {
  return ViewPlugin.define((view) => new PendingSeam(view, moreLines))
}

class PendingSeam {
  #isFollowing = false
  readonly #view: EditorView
  readonly #moreLines: (view: EditorView, count: number) => string
  readonly #layer: HTMLElement
  readonly #hearScroll = () => this.#measure()
  readonly #hearAuthor = () => this.#follow(false)
  #id: string | null = null
  /** Between reading the page and drawing. */
  #isMeasuring = false
  /** Searched again only where CodeMirror has replaced it: searching all lines at each key takes time. */
  #text: HTMLElement | null = null
  #hints: HTMLElement | null = null
  /** Read again where the page's geometry changed. */
  #padding: { left: number; right: number } | null = null
  /** The style of each part of the layer as it was last written. */
  readonly #transforms: string[] = []

  constructor(view: EditorView, moreLines: (view: EditorView, count: number) => string) {
    this.#view = view
    this.#moreLines = moreLines
    this.#layer = document.createElement('div')
    this.#layer.className = 'cm-seamLayer'
    this.#layer.setAttribute('aria-hidden', 'true')
    view.scrollDOM.append(this.#layer)
    view.scrollDOM.addEventListener('scroll', this.#hearScroll, { passive: true })
    this.#measure()
  }

  update({ state, startState, docChanged, geometryChanged, viewportChanged }: ViewUpdate): void {
    const place = pendingPlace(state)
    const id = place?.pending.id ?? null
    if (id !== this.#id) {
      this.#id = id
      this.#follow(place !== null && isRunning(place.pending))
    }
    if (place === null && this.#layer.childElementCount === 0) return
    // Heights that CodeMirror finds while it measures belong to the page that was just read.
    if (geometryChanged) this.#padding = null
    const isPageChanged = docChanged || viewportChanged || (geometryChanged && !this.#isMeasuring)
    if (isPageChanged || place !== pendingPlace(startState)) this.#measure()
  }

  destroy(): void {
    const { scrollDOM } = this.#view
    scrollDOM.removeEventListener('scroll', this.#hearScroll)
    this.#follow(false)
    this.#layer.remove()
  }

  /** Listens for input only while there is something to follow: a key without an offer calls nothing. */
  #follow(isFollowing: boolean): void {
    if (isFollowing === this.#isFollowing) return
    this.#isFollowing = isFollowing
    const { scrollDOM } = this.#view
    for (const name of authorEvents) {
      if (isFollowing) scrollDOM.addEventListener(name, this.#hearAuthor, { passive: true })
      else scrollDOM.removeEventListener(name, this.#hearAuthor)
    }
  }

  #measure(): void {
    if (this.#id === null && this.#layer.childElementCount === 0) return
    this.#view.requestMeasure({
      key: this,
      read: () => {
        this.#isMeasuring = true
        return this.#read()
      },
      write: (shown) => {
        this.#isMeasuring = false
        this.#draw(shown)
      },
    })
  }

  #read(): Shown | null {
    const { contentDOM, scrollDOM, defaultLineHeight: lineHeight } = this.#view
    this.#text = this.#shownPart(this.#text, '.cm-pending')
    this.#hints = this.#shownPart(this.#hints, '.cm-pendingHints')
    const element = this.#text
    if (element === null || element.classList.contains('cm-pendingBlank')) return null
    const rects = [...element.getClientRects()]
    const [first] = rects
    const last = rects.at(-1)
    if (!first || !last) return null
    this.#padding ??= paddingOf(contentDOM)
    const padding = this.#padding
    const content = contentDOM.getBoundingClientRect()
    const textLeft = content.left + padding.left
    const textRight = content.right - padding.right
    const frame = scrollDOM.getBoundingClientRect()
    const isBlock = element.classList.contains('cm-pendingBlock')
    // An inline box is as high as its letters; its line is as high as the leading.
    const spare = isBlock ? 0 : Math.max(0, (lineHeight - first.height) / 2)
    const top = first.top - spare
    const bottom = last.bottom + spare
    const box = (left: number, from: number, right: number, to: number): Box => ({
      left: left - frame.left + scrollDOM.scrollLeft,
      top: from - frame.top + scrollDOM.scrollTop,
      width: Math.max(0, right - left),
      height: Math.max(0, to - from),
    })
    const isOneLine = isBlock || bottom - top < lineHeight * 1.5
    const wash = isOneLine
      ? [box(first.left, top, isBlock ? textRight : last.right, bottom)]
      : [
          box(first.left, top, textRight, top + lineHeight),
          box(textLeft, top + lineHeight, textRight, bottom - lineHeight),
          box(textLeft, bottom - lineHeight, last.right, bottom),
        ]
    const hints = this.#hints?.getBoundingClientRect()
    // The hints carry the rule on: no gap is left where lines are rounded.
    const isNext = hints !== undefined && Math.abs(hints.top - bottom) < lineHeight / 2
    return {
      rule: box(
        textLeft - ruleDistance,
        top,
        textLeft - ruleDistance + ruleWidth,
        isNext ? hints.top + 1 : bottom,
      ),
      wash: wash.filter(({ height }) => height > 0.5),
      hiddenPx: bottom + (hints?.height ?? 0) - frame.bottom,
      lineHeight,
    }
  }

  #shownPart(known: HTMLElement | null, selector: string): HTMLElement | null {
    return known?.isConnected ? known : this.#view.contentDOM.querySelector<HTMLElement>(selector)
  }

  #draw(shown: Shown | null): void {
    const boxes =
      shown === null
        ? []
        : [['cm-seamRule', shown.rule] as const, ...shown.wash.map((box) => ['cm-seamWash', box] as const)]
    this.#place(boxes)
    if (shown === null) return
    const place = pendingPlace(this.#view.state)
    if (this.#isFollowing && place !== null && isRunning(place.pending) && shown.hiddenPx > 0) {
      this.#view.scrollDOM.scrollTop += shown.hiddenPx
      return
    }
    const more = this.#hints?.querySelector('.cm-pendingMore') ?? null
    const lines = Math.round(shown.hiddenPx / shown.lineHeight)
    const text = lines > 0 ? this.#moreLines(this.#view, lines) : ''
    if (more !== null && more.textContent !== text) more.textContent = text
  }

  /** Moves the parts that are there; most keys change the width of the last one alone. */
  #place(boxes: readonly (readonly [string, Box])[]): void {
    const parts = [...this.#layer.children] as HTMLElement[]
    for (const [index, [name, box]] of boxes.entries()) {
      const part = parts[index] ?? this.#layer.appendChild(document.createElement('div'))
      if (part.className !== name) part.className = name
      const { left, top, width, height } = box
      // Only a transform leaves the layout of the page as it was just read.
      const transform = `translate(${left}px, ${top}px) scale(${width}, ${height})`
      // A style that is written again makes the page draw the part again.
      if (this.#transforms[index] === transform) continue
      part.style.transform = transform
      this.#transforms[index] = transform
    }
    for (const part of parts.slice(boxes.length)) part.remove()
    this.#transforms.length = boxes.length
  }
}

/** Units: CSS pixels. */
function paddingOf(element: HTMLElement): { left: number; right: number } {
  const { paddingLeft, paddingRight } = getComputedStyle(element)
  return { left: Number.parseFloat(paddingLeft), right: Number.parseFloat(paddingRight) }
}
