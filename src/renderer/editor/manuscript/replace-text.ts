import { isolateHistory } from '@codemirror/commands'
import type { EditorView } from '@codemirror/view'
import { changeOrigin } from '../document/synced-changes.ts'
import type { TextReplacement } from '../editor-types.ts'

/** Replaces a text at its current place, as one undo step, and selects the new text. */
export function replaceText(view: EditorView, { from, original, text }: TextReplacement): boolean {
  const at = nearestPlace(view.state.doc.toString(), original, from)
  if (at < 0 || view.state.readOnly) return false
  const insert = view.state.toText(text)
  view.dispatch({
    changes: { from: at, to: at + original.length, insert },
    selection: { anchor: at, head: at + insert.length },
    annotations: [isolateHistory.of('full'), changeOrigin.of('take')],
    userEvent: 'input.take',
    scrollIntoView: true,
  })
  return true
}

/** Returns the position of `text` nearest to `from`; -1 where the document does not contain it. */
function nearestPlace(doc: string, text: string, from: number): number {
  if (doc.startsWith(text, from)) return from
  const before = doc.lastIndexOf(text, from)
  const after = doc.indexOf(text, from)
  if (before < 0 || after < 0) return Math.max(before, after)
  return from - before <= after - from ? before : after
}
