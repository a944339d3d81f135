/** Ignore files that ripgrep opens by itself and at which it would hang. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { countingDisk } from '../../../tests/fakes/disks/counting-disk.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { toolRig } from '../../../tests/fakes/rigs/tool-rig.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { listFiles } from './search/list-files.ts'
import { runRipgrep } from './search/run-ripgrep.ts'

const never = new AbortController().signal

const query = {
  pattern: 'needle',
  isLiteral: true,
  ignoreCase: false,
  glob: null,
  contextLines: 0,
  limit: 9,
}

const kinds: [string, (path: string) => void][] = [
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ['a link to a pipe', linkedPipe],
  ['a socket', listening],
  ['a device', (path) => symlinkSync('/dev/zero', path)],
  ['a file without end', sparse],
]

function linkedPipe(path: string): void {
  execFileSync('mkfifo', [`${path}.pipe`])
  symlinkSync(`${path}.pipe`, path)
}

/** A socket of this system has its name as soon as a program listens. */
function listening(path: string): void {
  const server = createServer().listen(path)
  onTestFinished(() => void server.close())
}

function sparse(path: string): void {
  writeFileSync(path, '')
  truncateSync(path, 2 ** 40)
}

describe.each(['.gitignore', '.ignore', '.rgignore', '.git/info/exclude'])('%s', (name) => {
  it.each(kinds)('as %s stops no search', async (_what, make) => {
    const root = join(tempFolder(), 'work')
    mkdirSync(join(root, '資料'), { recursive: true })
    writeFileSync(join(root, '資料/a.txt'), 'needle\n')
    mkdirSync(dirname(join(root, name)), { recursive: true })
    make(join(root, name))
    const { operations } = await toolRig({ root })
    expect(await operations.glob('**/a.txt', 10, never)).toEqual({ paths: ['資料/a.txt'], isCut: false })
    // In the folder, and in one below, whose search reads the ignore files above.
    for (const path of ['.', '資料']) {
      const { matches, isCut } = await operations.grep({ ...query, path }, never)
      expect([matches.length, isCut]).toEqual([1, false])
    }
    const listed = await listFiles(nodeDisk, root, never)
    expect(listed).toContain('資料/a.txt')
  })
})

const ownPlaces: [string, (home: string) => string][] = [
  ['where it usually is', (home) => join(home, '.config/git/ignore')],
  [
    'where the configuration names it',
    (home) => {
      writeFileSync(join(home, '.gitconfig'), '[core]\n\texcludesFile = "~/mine"\n')
      return join(home, 'mine')
    },
  ],
  [
    'where the configuration in the settings folder names it',
    (home) => {
      writeFileSync(join(home, '.config/git/config'), `[core]\nexcludesfile=${home}/named\n`)
      return join(home, 'named')
    },
  ],
  ['or the configuration itself', (home) => join(home, '.gitconfig')],
]

it.each(ownPlaces)('the user’s own ignore file for all folders stops no search, %s', async (_, place) => {
  const root = tempFolder()
  writeFileSync(join(root, 'a.txt'), 'needle\n')
  const { operations } = await toolRig({ root })
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('XDG_CONFIG_HOME', undefined)
  for (const [what, make] of kinds) {
    const home = tempFolder()
    mkdirSync(join(home, '.config/git'), { recursive: true })
    make(place(home))
    vi.stubEnv('HOME', home)
    const { matches, isCut } = await operations.grep({ ...query, path: '.' }, never)
    expect([matches.length, isCut], what).toEqual([1, false])
  }
})

it('the user’s own ignore file for all folders is gone by, where it is a file', async () => {
  const home = tempFolder()
  writeFileSync(join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/mine\n')
  writeFileSync(join(home, 'mine'), 'a.txt\n')
  vi.stubEnv('HOME', home)
  vi.stubEnv('XDG_CONFIG_HOME', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const root = tempFolder()
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(root, name), 'needle\n')
  const { operations } = await toolRig({ root })
  const { matches } = await operations.grep({ ...query, path: '.' }, never)
  expect(matches.map(({ path }) => path)).toEqual(['b.txt'])
})

it('deep in the folder they stop no search: their folders are left out, and it is told as cut', async () => {
  const root = join(tempFolder(), 'work')
  const deep = kinds.map((_, at) => `[deep] {a,b}!/${at}`)
  for (const folder of ['資料', ...deep, 'own/.git/info']) mkdirSync(join(root, folder), { recursive: true })
  for (const folder of ['資料', ...deep, '[deep] {a,b}!', 'own']) {
    writeFileSync(join(root, folder, 'a.txt'), 'needle\n')
  }
  for (const [at, [, make]] of kinds.entries()) make(join(root, deep[at] ?? '', '.gitignore'))
  linkedPipe(join(root, 'own/.git/info/exclude'))
  const { operations } = await toolRig({ root })
  // A socket cannot be opened, so that ripgrep does not wait for it.
  const socket = kinds.findIndex(([what]) => what === 'a socket')
  const wanted = [`${deep[socket]}/a.txt`, '[deep] {a,b}!/a.txt', '資料/a.txt']
  const listed = await operations.glob('**/a.txt', 10, never)
  expect([listed.paths.toSorted(), listed.isCut]).toEqual([wanted, true])
  const { matches, isCut } = await operations.grep({ ...query, path: '.' }, never)
  expect([matches.map(({ path }) => path).toSorted(), isCut]).toEqual([wanted, true])
})

it('a search asks nothing of the folders below where it ends by itself', async () => {
  const root = tempFolder()
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(root, 'a/b/x.txt'), '')
  const asked: string[] = []
  const disk = {
    ...nodeDisk,
    list: (path: string) => {
      asked.push(path)
      return nodeDisk.list(path)
    },
  }
  expect(await listFiles(disk, root, never)).toEqual(['a/b/x.txt'])
  expect(asked).toEqual([])
})

it('the ignore files that are examined before a search do not grow with the folder', async () => {
  const root = tempFolder()
  const examined = async (): Promise<number> => {
    const counting = countingDisk()
    await listFiles(counting.disk, root, never)
    expect(counting.counts.list ?? 0).toBe(0)
    return counting.counts.stat ?? 0
  }
  const before = await examined()
  for (let folder = 0; folder < 20; folder += 1) {
    mkdirSync(join(root, `${folder}`))
    for (let file = 0; file < 20; file += 1) writeFileSync(join(root, `${folder}/${file}`), '')
  }
  expect(await examined()).toBe(before)
})

it('a search that dies is told as cut', async () => {
  const root = tempFolder()
  const dying = join(root, 'dying')
  writeFileSync(dying, '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 })
  const run = {
    rgPath: dying,
    args: [],
    cwd: root,
    separator: '\n',
    timeoutMs: 60_000,
    signal: never,
  } as const
  expect(await runRipgrep(run, () => true)).toEqual({ isCut: true, hasDied: true, problem: null })
})
