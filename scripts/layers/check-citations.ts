import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Violation } from './check-tree.ts'
import type { SourceFile } from './source-file.ts'

/** A path beside the repository: a reader who has only the repository cannot follow it. */
const outside = /\.\.\/shared\//

/** Reports comments that cite a path outside of the repository. */
export function checkComments(file: SourceFile): Violation[] {
  return file.comments.flatMap(({ text, line }) => checkLines(file.path, text, line))
}

/** Reports documents that cite a path outside of the repository. */
export function checkDocuments(root: string): Violation[] {
  const docs = existsSync(path.join(root, 'docs'))
    ? readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    : []
  const own = ['README.md', 'CONTRIBUTING.md'].filter((name) => existsSync(path.join(root, name)))
  return [...own, ...docs].flatMap((name) => checkLines(name, readFileSync(path.join(root, name), 'utf8'), 1))
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
