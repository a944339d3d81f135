import type { SessionItem } from '../domain/session/session-item.ts'

/**
 * Returns the commands among `items` that ran and could change files: undo does not cover those changes.
 *
 * Shape: each line once, in their order.
 */
export function uncoveredCommands(items: readonly SessionItem[]): string[] {
  const lines = items.flatMap((item) => {
    if (item.kind !== 'call' || item.tool !== 'run_command') return []
    const { view, state, outcome, title } = item
    if (view?.kind === 'command') {
      // The changes taken over from the command's copy are undone with the turn; those in ignored folders are not.
      if (view.sandboxed !== undefined) return view.sandboxed.ignored.length > 0 ? view.line : []
      return view.isReadOnly === true || view.end === 'failed-to-start' ? [] : view.line
    }
    return state === 'running' || outcome === 'interrupted' ? title : []
  })
  return [...new Set(lines)]
}
