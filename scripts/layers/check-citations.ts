import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Violation } from './check-tree.ts'
import type { SourceFile } from './source-file.ts'

/** A path beside the repository, or on one developer's machine: other readers cannot follow it. */
const outside = /\.\.\/shared\/|(?<![\w./~-])\/(?:work|home|Users)\//

/** Folders that Git ignores; those whose name begins with a dot are left out, too. */
const ignored = new Set(['node_modules', 'out', 'dist', 'test-results', 'playwright-report', 'screenshots'])

/** Reports comments that cite a path outside of the repository. */
export function checkComments(file: SourceFile): Violation[] {
  return file.comments.flatMap(({ text, line }) => checkLines(file.path, text, line))
}

/** Reports documents, READMEs of areas and texts of the app that cite a path outside of the repository. */
export function checkDocuments(root: string): Violation[] {
  const isIgnored = (name: string) => ignored.has(path.basename(name)) || path.basename(name).startsWith('.')
  return globSync('**/*.md', { cwd: root, exclude: isIgnored }).flatMap((name) =>
    checkLines(name.replaceAll('\\', '/'), readFileSync(path.join(root, name), 'utf8'), 1),
  )
}

function checkLines(file: string, text: string, firstLine: number): Violation[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      outside.test(line)
        ? [{ path: file, line: firstLine + index, message: 'cites a path outside of the repository' }]
        : [],
    )
}
