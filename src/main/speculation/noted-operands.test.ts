import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import { createShellCheck } from '../tools/shell/create-shell-check.ts'
import type { CommandOutcome, ToolOperations } from '../tools/tool-operations.ts'
import { notingCommandReads } from './noted-operands.ts'

const shell = await createShellCheck(fileURLToPath(new URL('../../../resources/', import.meta.url)))
const files = ['README.md', 'src/a.ts', 'src/b.ts']

/** Operations over `files`; `log` holds what was read and run, in order. */
function noted() {
  const log: string[] = []
  const operations = {
    async locate(path: string) {
      const clean = path.replace(/\/$/, '')
      if (files.includes(clean)) return { kind: 'file', path: clean }
      return { kind: files.some((file) => file.startsWith(`${clean}/`)) ? 'folder' : 'none', path: clean }
    },
    async read(path: string) {
      if (!files.includes(path)) throw new AppError({ code: 'file/not-found', path })
      log.push(path)
      return { path, bytes: new Uint8Array(), hash: '' }
    },
    glob: async (pattern: string) => ({
      paths: files.filter((file) => file.startsWith(pattern.replace(/\*\*.*$/, ''))),
      isCut: false,
    }),
    async execute({ line }: { line: string }) {
      log.push(`$ ${line}`)
      return { commandId: 'c' } as CommandOutcome
    },
  } as unknown as ToolOperations
  const run = (line: string, folder = '.') =>
    notingCommandReads(operations, shell).execute(
      { line, folder, timeoutMs: 1, isBackground: false, isReadOnly: true },
      () => undefined,
      new AbortController().signal,
    )
  return { log, run }
}

it.each([
  ['cat README.md', '.', ['README.md']],
  ['sed -n 1p a.ts', 'src', ['src/a.ts']],
  ['grep -rn port src', '.', ['src/a.ts', 'src/b.ts']],
  ['ls src', '.', []],
  ['cat gone.txt', '.', []],
])('notes what %j reads in %s, before it runs', async (line, folder, read) => {
  const { log, run } = noted()
  await run(line, folder)
  expect(log).toEqual([...read, `$ ${line}`])
})
