import { alternativesOf, pathGlob } from '../../../shared/text/glob.ts'

/**
 * A glob over paths of a folder.
 *
 * Shape: `folder` is the part without wildcards at its beginning ('' for none). `names` are globs of file names
 * one of which every match has; null where the pattern says nothing about names.
 */
export type GlobPattern = {
  matches(path: string): boolean
  folder: string
  names: string[] | null
}

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
