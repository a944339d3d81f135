import type { CallItem, SessionItem } from '../domain/session/session-item.ts'

/**
 * Returns the commands among `items` that ran and could change files, and the tools of MCP servers that were called:
 * undo does not cover what they changed.
 *
 * Shape: each line once, in their order.
 */
export function uncoveredCalls(items: readonly SessionItem[]): string[] {
  const lines = items.flatMap((item) => {
    if (item.kind !== 'call') return []
    if (item.tool === 'mcp') return wasMade(item) ? item.title || item.name : []
    if (item.tool !== 'run_command') return []
    const { view, title } = item
    if (view?.kind === 'command') {
      // The changes applied from the command's copy are undone with the turn; those in ignored folders are not.
      if (view.sandboxed !== undefined) return view.sandboxed.ignored.length > 0 ? view.line : []
      return view.isReadOnly === true || view.end === 'failed-to-start' ? [] : view.line
    }
    return isUnfinished(item) ? title : []
  })
  return [...new Set(lines)]
}

/** True for a call that was made: a failed call of a server may have had effects before it failed. */
function wasMade(call: CallItem): boolean {
  return call.state === 'done' || call.state === 'failed' || isUnfinished(call)
}

function isUnfinished({ state, outcome }: CallItem): boolean {
  return state === 'running' || outcome === 'interrupted'
}
