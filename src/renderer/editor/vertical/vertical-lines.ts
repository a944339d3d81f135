import type { EditorState } from '@codemirror/state'
import { findRuby } from '../../../shared/text/manuscript/ruby.ts'
import { commentsOf } from '../manuscript-marks.ts'

/** Two digits or two marks, which stand upright side by side. */
const upright = /(?<![0-9A-Za-z.,])[0-9]{2}(?![0-9A-Za-z.,])|(?<![!?])[!?]{2}(?![!?])/g

/** Makes the paragraphs of a stretch of whole lines, and knows the place in the document of every text node. */
export class VerticalLines {
  readonly #places = new WeakMap<Node, number>()
  readonly #state: EditorState

  constructor(state: EditorState) {
    this.#state = state
  }

  paragraphs(from: number, to: number): HTMLElement[] {
    const { doc } = this.#state
    const comments = commentsOf(this.#state, from, to)
    const made: HTMLElement[] = []
    for (let line = doc.lineAt(from); ; line = doc.lineAt(line.to + 1)) {
      const shown = outside(comments, line.from, line.to)
      if (shown.length > 0 || line.length === 0) made.push(this.#paragraph(shown, line.from))
      if (line.to >= to) return made
    }
  }

  /** Returns the place in the document of an offset in one of the text nodes; null elsewhere. */
  positionOf(node: Node, offset: number): number | null {
    const from = this.#places.get(node)
    return from === undefined ? null : from + offset
  }

  /** Returns the rectangle of a position on the page; that of the line where the position itself is not shown. */
  rectOf(paragraph: HTMLElement, position: number): DOMRect {
    const range = document.createRange()
    const texts = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const from = this.#places.get(node)
      const length = node.nodeValue?.length ?? 0
      if (from === undefined || from + length < position) continue
      const offset = Math.max(0, Math.min(length, position - from))
      range.setStart(node, offset)
      range.setEnd(node, Math.min(length, offset + 1))
      return range.getBoundingClientRect()
    }
    return paragraph.getBoundingClientRect()
  }

  #paragraph(shown: readonly { from: number; to: number }[], from: number): HTMLElement {
    const paragraph = document.createElement('p')
    paragraph.style.margin = '0'
    paragraph.dataset.from = `${from}`
    for (const span of shown) this.#append(paragraph, span.from, span.to)
    if (paragraph.textContent === '') paragraph.append(document.createElement('br'))
    return paragraph
  }

  #append(parent: HTMLElement, from: number, to: number): void {
    let at = from
    for (const mark of findRuby(this.#state.sliceDoc(from, to))) {
      this.#appendText(parent, at, from + mark.from)
      at = from + mark.to
      const base = [from + mark.base.from, from + mark.base.to] as const
      if (mark.kind === 'escape') {
        this.#appendText(parent, ...base)
        continue
      }
      const element = document.createElement(mark.kind === 'ruby' ? 'ruby' : 'span')
      this.#appendText(element, ...base)
      if (mark.kind === 'ruby') {
        const rt = document.createElement('rt')
        rt.textContent = this.#state.sliceDoc(from + mark.reading.from, from + mark.reading.to)
        Object.assign(rt.style, { fontSize: '0.5em', lineHeight: '1' })
        element.append(rt)
      } else element.style.textEmphasis = 'filled sesame'
      parent.append(element)
    }
    this.#appendText(parent, at, to)
  }

  #appendText(parent: HTMLElement, from: number, to: number): void {
    const text = this.#state.sliceDoc(from, to)
    let at = 0
    for (const { index, 0: pair } of text.matchAll(upright)) {
      this.#appendNode(parent, text.slice(at, index), from + at)
      const span = document.createElement('span')
      span.style.textCombineUpright = 'all'
      this.#appendNode(span, pair, from + index)
      parent.append(span)
      at = index + pair.length
    }
    this.#appendNode(parent, text.slice(at), from + at)
  }

  #appendNode(parent: HTMLElement, text: string, from: number): void {
    if (text === '') return
    const node = document.createTextNode(text)
    this.#places.set(node, from)
    parent.append(node)
  }
}

function outside(comments: readonly { from: number; to: number }[], from: number, to: number) {
  const shown: { from: number; to: number }[] = []
  let at = from
  for (const comment of comments) {
    if (comment.to <= at || comment.from >= to) continue
    if (comment.from > at) shown.push({ from: at, to: comment.from })
    at = Math.max(at, comment.to)
  }
  if (at < to) shown.push({ from: at, to })
  return shown
}
