import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { checkCircles, checkFolderPairs } from './check-circles.ts'
import { checkComments, checkDocuments } from './check-citations.ts'
import { checkImports } from './check-imports.ts'
import { checkNames } from './check-names.ts'
import { parseLayerTable } from './layer-table.ts'
import { readSource, type SourceFile } from './source-file.ts'

/** A violation of a rule, with its place. */
export type Violation = { path: string; line: number; message: string }

/** Maximum length of a source file. Units: lines. */
const limitLines = 400
/** Maximum length of a test file, which may have tables of cases. Units: lines. */
const limitTestLines = 600

const layerFolders = ['src', 'electron']
const otherFolders = ['tests', 'bench', 'scripts']

/** Checks a project by the table in its own `docs/architecture.md`. */
export function checkTree(root: string): Violation[] {
  const rows = parseLayerTable(readFileSync(path.join(root, 'docs/architecture.md'), 'utf8'))
  const layered = readSources(root, layerFolders)
  const all = [...layered, ...readSources(root, otherFolders)]
  const forbidden = checkImports(layered, rows, (file) => existsSync(path.join(root, file)))
  return [
    ...forbidden,
    ...checkCircles(all),
    // An import that is forbidden anyway is reported only once.
    ...(forbidden.length > 0 ? [] : checkFolderPairs(layered)),
    ...checkDocuments(root),
    ...all.flatMap(checkComments),
    ...all.flatMap(checkLength),
    ...all.flatMap(checkNames),
  ].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line)
}

function checkLength(file: SourceFile): Violation[] {
  const limit = /\.(test|spec)\.tsx?$/.test(file.path) ? limitTestLines : limitLines
  if (file.lines <= limit) return []
  return [
    { path: file.path, line: limit + 1, message: `${file.lines} lines, limit ${limit}: split it by noun` },
  ]
}

function readSources(root: string, folders: string[]): SourceFile[] {
  return folders
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
    )
    .filter((file) => !file.includes('node_modules/'))
    .sort()
    .map((file) => readSource(file, readFileSync(path.join(root, file), 'utf8')))
}
