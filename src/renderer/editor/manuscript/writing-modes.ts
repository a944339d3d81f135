import { EditorState, type Extension } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Keeps the caret's line in the middle of the page; where the pointer puts it, nothing jumps. */
export const typewriterMode: Extension = [
  EditorState.transactionExtender.of((transaction) => {
    const isMove = transaction.selection !== undefined && !transaction.isUserEvent('select.pointer')
    if (!isMove && !transaction.docChanged) return null
    // Text that another window or the model writes does not move the page.
    if (!transaction.scrollIntoView && !transaction.isUserEvent('input')) return null
    return { effects: EditorView.scrollIntoView(transaction.newSelection.main.head, { y: 'center' }) }
  }),
  EditorView.contentAttributes.of({ class: 'cm-typewriter' }),
]

const focused = Decoration.line({ class: 'cm-focusedLine' })

/** Dims every paragraph but that of the caret, or those of the selection. */
export const focusMode: Extension = [
  EditorView.contentAttributes.of({ class: 'cm-focusMode' }),
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet

      constructor(view: EditorView) {
        this.decorations = focusedLines(view)
      }

      update(update: ViewUpdate): void {
        if (update.docChanged || update.selectionSet || update.viewportChanged)
          this.decorations = focusedLines(update.view)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
]

function focusedLines({ state, viewport }: EditorView): DecorationSet {
  const { main } = state.selection
  const from = Math.max(main.from, viewport.from)
  const to = Math.min(main.to, viewport.to)
  if (from > to) return Decoration.none
  const lines = []
  for (let line = state.doc.lineAt(from); ; line = state.doc.lineAt(line.to + 1)) {
    lines.push(focused.range(line.from))
    if (line.to >= to) return Decoration.set(lines)
  }
}
