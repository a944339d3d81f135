import { isolateHistory } from '@codemirror/commands'
import type { EditorView } from '@codemirror/view'
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

/** How far a text may have moved before another one that reads alike is taken for it. Units: UTF-16. */
const limitMoved = 2_000
/** Length of a text that is not written twice by chance, which may have moved anywhere. Units: UTF-16. */
const tellingLength = 40

/** Returns the nearest `text` to `from`; -1 for none, or for a short one far away: another sentence. */
function nearestPlace(doc: string, text: string, from: number): number {
  if (doc.startsWith(text, from)) return from
  const isNear = (at: number) =>
    at >= 0 && (text.length >= tellingLength || Math.abs(at - from) <= limitMoved)
  const [nearest = -1] = [doc.lastIndexOf(text, from), doc.indexOf(text, from)]
    .filter(isNear)
    .sort((one, other) => Math.abs(one - from) - Math.abs(other - from))
  return nearest
}
