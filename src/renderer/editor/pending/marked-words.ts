import type { WordSpan } from '../../../shared/domain/drafting/word-span.ts'

/** Name of the highlight, as in the theme's `::highlight()`. */
const name = 'uncertain-word'
const none: readonly WordSpan[] = []
const drawn = new WeakMap<Node, { words: readonly WordSpan[]; hidden: number; ranges: Range[] }>()

/**
 * Marks words of the offer without an element of their own, as its text stays one text node.
 *
 * Units: UTF-16; `hidden` are the units of the take's text before the node's, negative where others stand before it.
 */
export function markWords(node: Text, words: readonly WordSpan[] = none, hidden: number): void {
  const before = drawn.get(node)
  if (before ? before.words === words && before.hidden === hidden : words.length === 0) return
  const highlight = CSS.highlights.get(name) ?? new Highlight()
  CSS.highlights.set(name, highlight)
  for (const range of before?.ranges ?? []) highlight.delete(range)
  const ranges = words.flatMap(({ from, to }) => {
    if (to <= hidden || to - hidden > node.length) return []
    const range = document.createRange()
    range.setStart(node, Math.max(0, from - hidden))
    range.setEnd(node, to - hidden)
    return [range]
  })
  for (const range of ranges) highlight.add(range)
  drawn.set(node, { words, hidden, ranges })
}
