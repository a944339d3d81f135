/**
 * Undoes or redoes one step where the focus is, as the key would.
 *
 * Shape: an editor with a history of its own takes the event; a plain field has the browser's history. The
 * browser's own command alone would not reach an editor: its history holds only what was typed.
 * Source: Input Events Level 2, `historyUndo` and `historyRedo`.
 */
export function stepHistory(step: 'undo' | 'redo', page: Document = document): void {
  const inputType = step === 'undo' ? 'historyUndo' : 'historyRedo'
  const event = new InputEvent('beforeinput', { inputType, bubbles: true, cancelable: true })
  const isHandled = !(page.activeElement ?? page.body).dispatchEvent(event)
  if (!isHandled) page.execCommand(step)
}
