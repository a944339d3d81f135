import { EditorView } from '@codemirror/view'

/**
 * A text that gets the focus by a key or a script has its caret where it was at once. The browser puts it at the
 * start until the editor's next task, and what is typed by then would land there.
 */
export const caretAtFocus = EditorView.domEventHandlers({ focus: (_event, view) => view.focus() })
