import type { SessionItem } from '../domain/session/session-item.ts'

/**
 * The commands among `items` that ran and could change files: undo does not cover those changes.
 *
 * Shape: each line once, in their order.
 */
export function uncoveredCommands(items: readonly SessionItem[]): string[] {
  const lines = items.flatMap((item) => {
    if (item.kind !== 'call' || item.tool !== 'run_command') return []
    const { view, state, outcome, title } = item
    if (view?.kind === 'command') {
      // What was taken over of its copy is undone with the turn; what it put into ignored folders is not.
      if (view.sandboxed !== undefined) return view.sandboxed.ignored.length > 0 ? view.line : []
      return view.isReadOnly === true || view.end === 'failed-to-start' ? [] : view.line
    }
    return state === 'running' || outcome === 'interrupted' ? title : []
  })
  return [...new Set(lines)]
}
