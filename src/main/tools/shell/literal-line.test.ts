import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createShellCheck } from './create-shell-check.ts'
import { type FolderView, literalLine } from './literal-line.ts'

const check = await createShellCheck(fileURLToPath(new URL('../../../../resources/', import.meta.url)))

/** Folders with the names in them; all other names are files. */
const folders: Record<string, string[]> = {
  '.': ['one', 'two', 'notes.txt'],
  one: ['a.md', 'deep'],
  two: ['b.md'],
  'one/deep': ['c.md'],
}
const view: FolderView = {
  namesIn: async (path) => folders[path.replace(/\/\.$/, '')] ?? [],
  isFolder: async (path) => path in folders,
  async isMissing(path) {
    if (path.endsWith('/')) return !(path.slice(0, -1) in folders)
    const at = path.lastIndexOf('/')
    return !(folders[at < 0 ? '.' : path.slice(0, at)] ?? []).includes(path.slice(at + 1))
  },
}

async function written(line: string, from = view): Promise<string | null> {
  return literalLine(check, await check.read(line), from)
}

it('writes out what is there behind a pattern, as a shell does', async () => {
  expect(await written('ls *')).toBe("ls 'notes.txt' 'one' 'two'")
  expect(await written('cat */a.md')).toBe("cat 'one/a.md'")
  expect(await written('ls -d */')).toBe("ls -d 'one/' 'two/'")
  expect(await written('cat o*/deep/c.md t*/deep/c.md')).toBe("cat 'one/deep/c.md' 't*/deep/c.md'")
  expect(await written('cd one && ls */c.md')).toBe("cd one && ls 'deep/c.md'")
})

it('leaves a pattern to the shell where only some names of a folder are known', async () => {
  expect(await written('ls *.txt', { ...view, namesIn: async () => null })).toBeNull()
})
