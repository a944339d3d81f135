import type { EditorView } from '@codemirror/view'
import { isComposing, pendingListener } from './pending-commands.ts'
import { isRunning, pendingPlace } from './pending-state.ts'

/** How long the pointer rests on a word before others are asked for. Units: milliseconds. */
const restMs = 500

/**
 * Reports on which word of the offer the pointer rests, and when it leaves. Nothing is reported while the model writes
 * or an input method composes, and the page is not read while the pointer moves.
 *
 * Shape: the first `hidden` characters of the offer are not in the text node.
 */
export function tellHover(element: HTMLElement, view: EditorView, hidden: number): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isTold = false
  const tell = (x: number, y: number) => {
    const found = element.isConnected ? characterAt(element, x, y) : null
    const place = pendingPlace(view.state)
    if (found === null || place === null || isRunning(place.pending) || isComposing(view)) return
    const { pending, rest } = place
    const { left, top, bottom } = found.box
    const at = pending.text.length - rest.length + hidden + found.offset
    if (at < 0 || at >= pending.text.length) return
    isTold = true
    view.state.facet(pendingListener)({ kind: 'hover', id: pending.id, at, box: { left, top, bottom } })
  }
  element.addEventListener(
    'pointermove',
    ({ pointerType, buttons, movementX, movementY, clientX, clientY }) => {
      // Text that moves under a pointer at rest is no request of the author's.
      if (pointerType !== 'mouse' || (movementX === 0 && movementY === 0)) return
      clearTimeout(timer)
      if (buttons === 0) timer = setTimeout(() => tell(clientX, clientY), restMs)
    },
  )
  element.addEventListener('pointerleave', () => {
    clearTimeout(timer)
    const id = pendingPlace(view.state)?.pending.id
    if (isTold && id !== undefined) view.state.facet(pendingListener)({ kind: 'unhover', id })
    isTold = false
  })
}

/** Returns the character of the offer's text under a point of the window; null where there is none. */
function characterAt(element: HTMLElement, x: number, y: number): { offset: number; box: DOMRect } | null {
  const node = element.firstChild
  const caret = document.caretPositionFromPoint(x, y)
  if (!(node instanceof Text) || caret?.offsetNode !== node) return null
  for (const offset of [caret.offset, caret.offset - 1]) {
    if (offset < 0 || offset >= node.length) continue
    const range = document.createRange()
    range.setStart(node, offset)
    range.setEnd(node, offset + 1)
    const box = [...range.getClientRects()].find(
      ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom,
    )
    if (box) return { offset, box }
  }
  return null
}
