/** `keyCode` of a key that the input method consumes. Source: UI Events, `keyCode` 229. */
const composingKeyCode = 229

/**
 * Keeps the keys of a composition from everything but the field in which the text is composed.
 *
 * Enter, Escape, Tab and the arrows choose and cancel candidates: they must close no dialog, send no form and move in
 * no list. CodeMirror's texts get them, since they follow a composition by its keys. The browser would empty a search
 * field on Escape, which is prevented; every other default action of the browser stays.
 */
export function keepCompositionKeys(page: Window): void {
  const hear = (event: KeyboardEvent) => {
    const isComposing = event.isComposing || event.keyCode === composingKeyCode
    const isText = event.target instanceof Element && event.target.closest('.cm-content') !== null
    if (!isComposing || isText) return
    event.stopImmediatePropagation()
    const isSearch = event.target instanceof HTMLInputElement && event.target.type === 'search'
    if (isSearch && event.key === 'Escape') event.preventDefault()
  }
  page.addEventListener('keydown', hear, true)
}
