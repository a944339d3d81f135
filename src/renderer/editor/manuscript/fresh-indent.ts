import { type EditorState, StateEffect, StateField } from '@codemirror/state'

export const FULL_WIDTH_SPACE = '\u3000'

/** Enter has put an indent between these two places. */
export const indented = StateEffect.define<{ from: number; to: number }>()

/** Where Enter has just put an indent; null after anything else. */
export const freshIndent = StateField.define<{ from: number; to: number } | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(indented)) return effect.value
    return transaction.docChanged || transaction.selection ? null : value
  },
})

/** True for an indent that an author types by habit where Enter has just inserted one of the same kind. */
export function isHabitualIndent(state: EditorState, from: number, to: number, text: string): boolean {
  const indent = state.field(freshIndent, false)
  if (!indent || from !== indent.to || to !== from) return false
  return text === FULL_WIDTH_SPACE && state.sliceDoc(indent.from, indent.to) === FULL_WIDTH_SPACE
}
