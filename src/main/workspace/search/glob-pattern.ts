import { alternativesOf, pathGlob } from '../../../shared/text/paths/glob.ts'
import { sortedByPath } from '../../platform/files/natural-order.ts'

/**
 * A glob over paths of a folder.
 *
 * Shape: `folder` is the part without wildcards at its beginning ('' for none). `names` are globs of file names
 * one of which every match has; null where the pattern says nothing about names.
 */
export type GlobPattern = { matches(path: string): boolean; folder: string; names: string[] | null }

/** Longer patterns are refused. Units: UTF-16 code units. */
const limitLength = 500

/**
 * Reads a glob of the dialect `search`.
 *
 * Returns undefined for a pattern that is too long, has too many alternatives, or contains a NUL.
 */
export function parseGlob(pattern: string): GlobPattern | undefined {
  if (pattern.length > limitLength || pattern.includes('\0')) return undefined
  const alternatives = alternativesOf(pattern.replace(/^(?:\.?\/)+/, ''), 'search')
  if (alternatives === null) return undefined
  // Only files are searched; no path of a file is empty or ends with a slash.
  const tests = alternatives.filter((one) => !/(?:^|\/)$/.test(one)).map((one) => pathGlob(one, 'search'))
  const names = alternatives.map((one) => one.split('/').at(-1) ?? '')
  const isAnyName = names.some((name) => name === '' || /^\*+$/.test(name) || /[:[\\{}]/.test(name))
  const folders = new Set(alternatives.map(staticFolder))
  return {
    matches: (path) => !path.endsWith('/') && tests.some((test) => test(path)),
    folder: folders.size === 1 ? ([...folders][0] ?? '') : '',
    names: isAnyName ? null : [...new Set(names)],
  }
}

function staticFolder(pattern: string): string {
  const folders = pattern.split('/').slice(0, -1)
  const wild = folders.findIndex((name) => /[*?[\\]/.test(name))
  return folders.slice(0, wild < 0 ? folders.length : wild).join('/')
}

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
