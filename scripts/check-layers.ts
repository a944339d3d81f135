/**
 * `npm run lint` calls this. Checks allowed imports, circular imports, the paths that comments and documents cite, and
 * the length and names of files. Exits with 1 on a violation.
 */
import path from 'node:path'
import { checkTree } from './layers/check-tree.ts'

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'))
const violations = checkTree(root)
for (const { path: file, line, message } of violations) console.error(`${file}:${line}  ${message}`)
if (violations.length > 0) {
  console.error(`\n${violations.length} found. The rules and the reasons: docs/architecture.md`)
  process.exitCode = 1
}
