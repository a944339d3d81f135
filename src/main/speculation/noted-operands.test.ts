import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { overlayRig } from '../../../tests/fakes/rigs/overlay-rig.ts'
import { AppError } from '../../shared/errors.ts'
import { createShellCheck } from '../tools/shell/create-shell-check.ts'
import type { CommandOutcome, ToolOperations } from '../tools/tool-operations.ts'
import { notingCommandReads } from './noted-operands.ts'

const shell = await createShellCheck(fileURLToPath(new URL('../../../resources/', import.meta.url)))
const files = ['README.md', 'src/a.ts', 'src/b.ts']

/** Operations over `present`; `log` holds what was read and run, in order; `any file`: all files of the folder. */
function noted(present = files) {
  const log: string[] = []
  const operations = {
    async locate(path: string) {
      const clean = path.replace(/\/$/, '')
      if (present.includes(clean)) return { kind: 'file', path: clean }
      const isFolder = clean === '.' || present.some((file) => file.startsWith(`${clean}/`))
      return { kind: isFolder ? 'folder' : 'none', path: clean }
    },
    async read(path: string) {
      if (!present.includes(path)) throw new AppError({ code: 'file/not-found', path })
      log.push(path)
      return { path, bytes: new Uint8Array(), hash: '' }
    },
    glob: async (pattern: string, limit: number) => {
      const paths = present.filter((file) => file.startsWith(pattern.replace(/\*\*.*$/, '')))
      return { paths: paths.slice(0, limit), isCut: paths.length > limit }
    },
    async execute({ line }: { line: string }) {
      log.push(`$ ${line}`)
      return { commandId: 'c' } as CommandOutcome
    },
  } as unknown as ToolOperations
  const noteAnyRead = async () => void log.push('any file')
  const run = (line: string, folder = '.', isSandboxed = false) =>
    notingCommandReads({ operations, noteAnyRead }, shell).execute(
      { line, folder, timeoutMs: 1, isBackground: false, isReadOnly: true, isSandboxed },
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
  ['git diff', '.', files],
  ['git diff src', '.', ['src/a.ts', 'src/b.ts']],
  ['git diff HEAD', '.', ['any file']],
  ['git diff HEAD -- src/a.ts', '.', ['src/a.ts']],
  ['git diff HEAD && git diff README.md', '.', ['README.md', 'any file']],
  ['git grep port HEAD', 'src', ['any file']],
  ['git status', '.', ['any file']],
  // Only what was committed or staged.
  ['git diff HEAD --cached', '.', []],
  ['git diff one..two', '.', []],
  ['git show HEAD', '.', []],
])('notes what %j reads in %s, before it runs', async (line, folder, read) => {
  const { log, run } = noted()
  await run(line, folder)
  expect(log).toEqual([...read, `$ ${line}`])
})

it('notes any file where a folder has more than two hundred, once where the overlay does so itself', async () => {
  const many = Array.from({ length: 201 }, (_, index) => `src/${index}.ts`)
  const { log, run } = noted(many)
  await run('grep -rn port src')
  await run('grep -rn port src', '.', true)
  expect(log).toEqual(['any file', '$ grep -rn port src', '$ grep -rn port src'])
  const few = noted(many.slice(1))
  await few.run('grep -rn port src')
  expect(few.log).toHaveLength(201)
})

describe('a file that changes after a command that does not name it', () => {
  it.each([
    { line: 'grep -rn port .', count: 250 },
    { line: 'git diff HEAD', count: 1 },
  ])('makes the speculation stale: $line', async ({ line, count }) => {
    const rig = overlayRig()
    for (let index = 0; index < count; index++) rig.write(`src/${index}.ts`, 'old')
    const overlay = await rig.open()
    const command = { line, folder: '.', timeoutMs: 1, isBackground: false, isReadOnly: true }
    const { execute } = notingCommandReads(overlay, shell)
    await execute(command, () => undefined, new AbortController().signal)
    expect(rig.commands).toEqual([line])
    expect(await overlay.staleForCommands()).toEqual({ paths: [], hasMore: false })
    rig.write(`src/${count - 1}.ts`, 'new')
    expect(await overlay.staleForCommands()).toEqual({ paths: [`src/${count - 1}.ts`], hasMore: false })
  })
})
