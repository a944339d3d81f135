import path from 'node:path'
import type { Violation } from './check-tree.ts'
import { type Entry, folderOf, type LayerRow, rowOf } from './layer-table.ts'
import type { ImportSite, SourceFile } from './source-file.ts'

/** Packages without side effects: a pure module may use them. */
const purePackages = ['zod', '@codemirror/state', 'diff']

/** Checks every import of `files` against the rows; `exists` is asked for what is not among the files. */
export function checkImports(
  files: SourceFile[],
  rows: LayerRow[],
  exists: (file: string) => boolean,
): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return files.flatMap((file) =>
    file.imports.flatMap((site) => {
      const message = judge(file, site, rows, byPath, exists)
      return message === undefined ? [] : [{ path: file.path, line: site.line, message }]
    }),
  )
}

function judge(
  file: SourceFile,
  site: ImportSite,
  rows: LayerRow[],
  byPath: Map<string, SourceFile>,
  exists: (file: string) => boolean,
): string | undefined {
  const row = rowOf(rows, file.path)
  const own = row && folderOf(row, file.path)
  if (row === undefined || own === undefined) return 'lies in no folder of the layer table'
  if (!site.specifier.startsWith('.')) {
    if (isTest(file.path)) return undefined
    const isAllowed = row.may.some((entry) => allowsPackage(entry, site.specifier))
    const isForbidden = row.never.some((entry) => allowsPackage(entry, site.specifier))
    return isAllowed && !isForbidden ? undefined : `${own} may not import ${site.specifier}`
  }
  const target = resolve(file.path, site.specifier)
  if (!byPath.has(target) && !exists(target)) return `${site.specifier} leads to no file (${target})`
  if (isTest(target) && !isTest(file.path)) return `${site.specifier} is a test`
  if (isTest(file.path)) return judgeTest(file.path, target, row, rows)
  if (row.never.some((entry) => allowsPath(entry, target))) return `${own} may never import ${target}`
  if (isInside(target, own) || row.may.some((entry) => allowsPath(entry, target))) return undefined
  if (site.isTypeOnly && row.may.some((entry) => entry.kind === 'types' && isInside(target, entry.path)))
    return undefined
  if (row.may.some((entry) => entry.kind === 'siblings') && isSibling(own, target)) {
    if (site.isTypeOnly) return undefined
    const reason = impurity(target, byPath)
    if (reason === undefined) return undefined
    return `${own} may import types and pure modules of a sibling; ${target} ${reason}`
  }
  return `${own} may not import ${target}`
}

/** Judges a test beside the code: it may use its whole layer, what its row lists, the shared layer, and `tests/`. */
function judgeTest(file: string, target: string, row: LayerRow, rows: LayerRow[]): string | undefined {
  const layer = rows
    .map((each) => folderOf(each, file))
    .filter((folder) => folder !== undefined)
    .sort((a, b) => a.length - b.length)[0]
  const allowed = ['src/shared', 'tests', 'resources', ...(layer === undefined ? [] : [layer])]
  if (allowed.some((folder) => isInside(target, folder))) return undefined
  if (row.may.some((entry) => allowsPath(entry, target))) return undefined
  return `a test in ${layer} may not import ${target}`
}

/** Returns why a module is not pure; undefined when it is. Types that it imports do not count. */
function impurity(
  file: string,
  byPath: Map<string, SourceFile>,
  seen = new Set<string>(),
): string | undefined {
  if (seen.has(file)) return undefined
  seen.add(file)
  const source = byPath.get(file)
  if (source === undefined) return undefined
  const service = source.exportedValues.find((name) => /^create[A-Z]/.test(name))
  if (service !== undefined) return `exports ${service}, which makes a service`
  for (const site of source.imports) {
    if (site.isTypeOnly) continue
    if (!site.specifier.startsWith('.')) {
      if (!purePackages.includes(packageOf(site.specifier))) return `imports ${site.specifier}`
      continue
    }
    const target = resolve(file, site.specifier)
    if (target.startsWith('src/shared/')) continue
    const reason = impurity(target, byPath, seen)
    if (reason !== undefined) return `imports ${target}, which ${reason}`
  }
  return undefined
}

function allowsPackage(entry: Entry, specifier: string): boolean {
  if (entry.kind !== 'package') return false
  const { pattern } = entry
  if (pattern.endsWith('*')) return specifier.startsWith(pattern.slice(0, -1))
  return specifier === pattern || specifier.startsWith(`${pattern}/`)
}

function allowsPath(entry: Entry, target: string): boolean {
  return entry.kind === 'path' && isInside(target, entry.path)
}

function isInside(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`)
}

/** True for a path in another folder beside `own`; files directly in the parent are not siblings. */
function isSibling(own: string, target: string): boolean {
  const parent = `${path.posix.dirname(own)}/`
  return target.startsWith(parent) && target.slice(parent.length).includes('/')
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file)
}

function resolve(from: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(from), specifier.replace(/\?.*$/, ''))
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
