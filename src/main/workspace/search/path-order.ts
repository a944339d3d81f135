import { sortedByPath } from '../../platform/files/natural-order.ts'

/** Names of one folder. Shape: null is a file; a name that is both keeps the file under ''. */
type Names = Map<string, Names | null>

/**
 * Returns the first paths in the order of `comparePaths`. Goes folder by folder and sorts only the folders on the way,
 * since sorting takes most of the time for thousands of names.
 */
export function firstPaths(paths: readonly string[], limit: number): string[] {
  const top: Names = new Map()
  for (const path of paths) add(top, path.split('/'))
  const first: string[] = []
  collect(top, '', limit, first)
  return first
}

function add(top: Names, names: readonly string[]): void {
  let folder = top
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1
    const found = folder.get(name)
    if (isLast) {
      if (found === undefined) folder.set(name, null)
      else found?.set('', null)
      return
    }
    const below: Names = found ?? new Map()
    if (found === null) below.set('', null)
    folder.set(name, below)
    folder = below
  }
}

function collect(folder: Names, prefix: string, limit: number, into: string[]): void {
  for (const name of sortedByPath([...folder.keys()], (name) => name)) {
    if (into.length >= limit) return
    const below = folder.get(name)
    if (below) collect(below, `${prefix}${name}/`, limit, into)
    else into.push(name === '' ? prefix.slice(0, -1) : `${prefix}${name}`)
  }
}
