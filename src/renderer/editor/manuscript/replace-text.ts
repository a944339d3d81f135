import { isolateHistory } from '@codemirror/commands'
import type { EditorView } from '@codemirror/view'
import { nearestPlace } from '../../../shared/text/places/nearest-place.ts'
import { changeOrigin } from '../document/synced-changes.ts'
import type { TakeInsertion, TextReplacement } from '../editor-types.ts'

export function insertText(view: EditorView, { text, at, origin = 'take' }: TakeInsertion): boolean {
  if (view.state.readOnly || text === '') return false
  const from = Math.max(0, Math.min(at ?? view.state.selection.main.to, view.state.doc.length))
  const insert = view.state.toText(text)
  view.dispatch({
    changes: { from, insert },
    selection: { anchor: from + insert.length },
    annotations: [isolateHistory.of('full'), changeOrigin.of(origin)],
    userEvent: 'input.take',
    scrollIntoView: true,
  })
  return true
}

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
