import type { Extension } from '@codemirror/state'
import { type EditorView, ViewPlugin } from '@codemirror/view'

const walkingKeys = new Set(['Tab', 'F6'])
const modifierKeys = new Set(['Shift', 'Control', 'Alt', 'Meta'])
/** After Escape, Tab leaves the text during this time. Units: ms. */
const leavingMs = 2_000

/**
 * Lets Tab leave the text where the focus came to it by a key that moves through the window, until the author types or
 * clicks in the text: moving through the window must not accept an offer or write a tab.
 *
 * `data-tab="leaves"` on the editor's element says so to the style of the hints.
 */
export function tabUse(): Extension {
  return ViewPlugin.fromClass(TabUse, {
    eventObservers: {
      focus(_event, view) {
        this.listen(false)
        if (this.isWalking) letTabLeave(view, true)
      },
      blur() {
        this.listen(true)
      },
      mousedown: (_event, view) => letTabLeave(view, false),
      keydown(event, view) {
        this.hearKey(event)
        const isUse = !walkingKeys.has(event.key) && !modifierKeys.has(event.key) && event.key !== 'Escape'
        if (isUse) letTabLeave(view, false)
      },
      compositionstart: (_event, view) => letTabLeave(view, false),
    },
  })
}

/** Lets the next Tab within two seconds leave the text. */
export function leaveByNextTab(view: EditorView): void {
  view.setTabFocusMode(leavingMs)
}

/** Gives Tab back to the text, unless the focus came to it by a key that moves through the window. */
export function keepTab(view: EditorView): void {
  if (view.dom.dataset.tab !== 'leaves') view.setTabFocusMode(false)
}

function letTabLeave(view: EditorView, isLeaving: boolean): void {
  const { dataset } = view.dom
  if (isLeaving === (dataset.tab === 'leaves')) return
  view.setTabFocusMode(isLeaving)
  if (isLeaving) dataset.tab = 'leaves'
  else delete dataset.tab
}

/** Remembers whether the window's last key moves the focus. The text reports its keys: one listener a key. */
class TabUse {
  isWalking = false
  readonly #document: Document
  readonly hearKey = ({ key }: KeyboardEvent) => {
    if (!modifierKeys.has(key)) this.isWalking = walkingKeys.has(key)
  }
  readonly #hearPointer = () => {
    this.isWalking = false
  }

  constructor(view: EditorView) {
    this.#document = view.dom.ownerDocument
    this.#document.addEventListener('pointerdown', this.#hearPointer, true)
    this.listen(!view.hasFocus)
  }

  /** Hears keys that are pressed elsewhere, while the text has no focus. */
  listen(isAway: boolean): void {
    if (isAway) this.#document.addEventListener('keydown', this.hearKey, true)
    else this.#document.removeEventListener('keydown', this.hearKey, true)
  }

  destroy(): void {
    this.listen(false)
    this.#document.removeEventListener('pointerdown', this.#hearPointer, true)
  }
}
