/** What pages see of a key that the input method takes for itself. Source: UI Events, `keyCode` 229. */
const takenKeyCode = 229

/**
 * Keeps the keys of a composition from everything but the field in which the text is composed.
 *
 * Enter, Escape, Tab and the arrows choose and cancel candidates: no dialog may close by them, no form be sent, no
 * list move. The texts of CodeMirror hear them, since they follow a composition by its keys. A search field empties
 * itself by Escape, which is the browser's doing and is prevented; nothing else that a browser does by a key is.
 */
export function keepCompositionKeys(page: Window): void {
  const hear = (event: KeyboardEvent) => {
    const isComposing = event.isComposing || event.keyCode === takenKeyCode
    const isText = event.target instanceof Element && event.target.closest('.cm-content') !== null
    if (!isComposing || isText) return
    event.stopImmediatePropagation()
    const isSearch = event.target instanceof HTMLInputElement && event.target.type === 'search'
    if (isSearch && event.key === 'Escape') event.preventDefault()
  }
  page.addEventListener('keydown', hear, true)
}
