import { EditorView } from '@codemirror/view'

/**
 * Restores the caret at once when the text gets the focus by a key or a script. The browser puts the caret at the start
 * until the editor's next task, and text that is typed by then would land there.
 */
export const caretAtFocus = EditorView.domEventHandlers({ focus: (_event, view) => view.focus() })
