import type { SessionItem } from '../../shared/domain/session/session-item.ts'

type Call = Extract<SessionItem, { kind: 'call' }>

/** A path or a file name in a todo. */
const fileName = /[\p{L}\p{N}_./\\-]+\.[A-Za-z0-9]{1,8}(?![\p{L}\p{N}])/gu

/**
 * Finds the next todo that is really open. Undefined: there is none, or that is not certain.
 *
 * The list is right as long as no later call changed anything. After a change, a todo counts as open only if it names
 * files and none of them was touched.
 */
export function openTodo(
  todos: readonly { text: string; isDone: boolean }[],
  items: readonly SessionItem[],
): string | undefined {
  const next = todos.find(({ isDone }) => !isDone)?.text
  if (next === undefined) return undefined
  const calls = items.filter((item): item is Call => item.kind === 'call')
  const written = calls.findLastIndex(
    ({ tool, state }) => (tool === 'todo_write' || tool === 'propose_plan') && state === 'done',
  )
  const later = calls.slice(written + 1).filter(({ state }) => state === 'done')
  if (!later.some(isChange)) return next
  const named = [...next.matchAll(fileName)].map(([name]) => name)
  const touched = new Set(later.flatMap(pathsOf).map(baseName))
  return named.length > 0 && named.every((name) => !touched.has(baseName(name))) ? next : undefined
}

function isChange({ view }: Call): boolean {
  return view?.kind === 'change' || view?.kind === 'command'
}

function pathsOf({ view }: Call): string[] {
  if (view?.kind === 'file') return [view.path]
  return view?.kind === 'change'
    ? view.files.flatMap(({ path, to }) => (to === null ? [path] : [path, to]))
    : []
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1)?.toLowerCase() ?? path
}
