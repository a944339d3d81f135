import path from 'node:path'
import type { Violation } from './check-tree.ts'
import type { SourceFile } from './source-file.ts'

/** Reports modules that need each other's values: no order of loading or reading fits them. Types may be circular. */
export function checkCircles(files: readonly SourceFile[]): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const found: Violation[] = []

  function visit(file: SourceFile, trail: readonly string[]): void {
    if (done.has(file.path)) return
    const here = [...trail, file.path]
    for (const { specifier, line, isTypeOnly } of file.imports) {
      if (isTypeOnly || !specifier.startsWith('.')) continue
      const target = path.posix.join(path.posix.dirname(file.path), specifier)
      const start = here.indexOf(target)
      const next = byPath.get(target)
      if (start >= 0) {
        const circle = [...here.slice(start), target].join(' → ')
        found.push({ path: file.path, line, message: `a circle of imports: ${circle}` })
      } else if (next !== undefined) visit(next, here)
    }
    done.add(file.path)
  }

  for (const file of files) visit(file, [])
  return found
}

/**
 * Reports two folders of which each needs values of the other: no order of reading fits them. Folders beside each other
 * are compared with all that is below them, too.
 */
export function checkFolderPairs(files: readonly SourceFile[]): Violation[] {
  const needs = new Map<string, Violation & { from: string; to: string }>()
  for (const file of files) {
    if (/\.test\.tsx?$/.test(file.path)) continue
    const own = path.posix.dirname(file.path)
    for (const { specifier, line, isTypeOnly } of file.imports) {
      if (isTypeOnly || !specifier.startsWith('.')) continue
      const other = path.posix.dirname(path.posix.join(own, specifier))
      if (other === own) continue
      for (const [from, to] of [[own, other] as const, siblingsAbove(own, other)]) {
        const key = `${from} ${to}`
        if (needs.has(key)) continue
        const message = `${from} and ${to} import values of each other`
        needs.set(key, { from, to, path: file.path, line, message })
      }
    }
  }
  return [...needs.values()]
    .filter(({ from, to }) => needs.has(`${to} ${from}`))
    .map(({ path, line, message }) => ({ path, line, message }))
}

/** Returns the folders beside each other that hold two folders; the two themselves where one holds the other. */
function siblingsAbove(one: string, other: string): readonly [string, string] {
  const [parts, others] = [one.split('/'), other.split('/')]
  const depth = parts.findIndex((part, at) => part !== others[at]) + 1
  if (depth === 0 || depth > others.length) return [one, other]
  return [parts.slice(0, depth).join('/'), others.slice(0, depth).join('/')]
}
