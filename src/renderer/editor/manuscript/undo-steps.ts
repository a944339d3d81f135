import { redo, redoDepth, undo, undoDepth } from '@codemirror/commands'
import type { EditorState, StateCommand, Transaction } from '@codemirror/state'

/**
 * Undoes the last step that changed the text. A composition that was cancelled leaves steps without a change: the key
 * would seem to do nothing.
 */
export const undoChange: StateCommand = (target) => repeated(undo, undoDepth, target)

export const redoChange: StateCommand = (target) => repeated(redo, redoDepth, target)

function repeated(
  command: StateCommand,
  depthOf: (state: EditorState) => number,
  target: { state: EditorState; dispatch: (transaction: Transaction) => void },
): boolean {
  let { state } = target
  let isChanged = false
  while (!isChanged && depthOf(state) > 0) {
    const isDone = command({
      state,
      dispatch(transaction) {
        target.dispatch(transaction)
        isChanged = transaction.docChanged
        state = transaction.state
      },
    })
    if (!isDone) break
  }
  return isChanged
}
