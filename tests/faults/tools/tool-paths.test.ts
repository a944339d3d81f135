/** Paths that try to leave the folder, over every tool that takes one: nothing outside is read or written. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { ToolName, takesPaths, toolTraits } from '../../../src/shared/domain/session/tool-name.ts'
import { diskWith } from '../../fakes/disks/failing-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { openTestStore, type WholeStore } from '../../fakes/disks/test-store.ts'
import { runCall, type ToolRig, toolRig } from '../../fakes/rigs/tool-rig.ts'
import { callArgs, placesOf, type ToolCall } from '../../fakes/sample-calls.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'

const sentinel = 'SENTINEL-7d1f'

/** A folder that no tool may reach, and what is in it. */
function outsideFolder(): { path: string; look: () => string } {
  const path = tempFolder()
  writeFileSync(join(path, 'secret.txt'), `${sentinel}\n`)
  mkdirSync(join(path, 'deep'))
  writeFileSync(join(path, 'deep', 'secret.txt'), `${sentinel} deep\n`)
  const look = (): string =>
    readdirSync(path, { recursive: true })
      .map(String)
      .sort()
      .map((name) => `${name}:${name.endsWith('.txt') ? readFileSync(join(path, name), 'utf8') : ''}`)
      .join('|')
  return { path, look }
}

/** `TSUGI_SOAK` takes every spelling through every tool, and swaps at more moments. */
const isSoak = process.env.TSUGI_SOAK !== undefined

const names = ToolName.options.filter(takesPaths)

/** A call of every tool that takes a path, in every argument that names a place by its row, patterns apart. */
function callsWith(path: string): ToolCall[] {
  return names.flatMap((name) =>
    placesOf(name)
      .filter(([, kind]) => kind !== 'glob')
      .map(([place]): ToolCall => [name, callArgs(name, { [place]: path })]),
  )
}

/** Returns calls with globs. Each starts a program, so that these are for the plain spellings only. */
function globsWith(path: string): ToolCall[] {
  return names.flatMap((name) =>
    placesOf(name)
      .filter(([, kind]) => kind === 'glob')
      .map(([place]): ToolCall => [name, callArgs(name, { [place]: path })]),
  )
}

function prepareRoot(rig: ToolRig, outside: string): void {
  const { root } = rig
  rig.write('sub/in.txt', 'in\n')
  rig.write('mine.txt', 'mine\n')
  rig.write('が.txt'.normalize('NFD'), 'nfd\n')
  symlinkSync(outside, join(root, 'link-out'))
  symlinkSync(join(outside, 'secret.txt'), join(root, 'link-file'))
  symlinkSync(join(root, 'link-out'), join(root, 'link-chain'))
  symlinkSync('../..', join(root, 'sub', 'link-up'))
  symlinkSync(join(root, 'loop'), join(root, 'loop'))
  symlinkSync('/dev/zero', join(root, 'zero'))
  symlinkSync(join(outside, 'not-yet.txt'), join(root, 'link-new'))
  execFileSync('mkfifo', [join(root, 'fifo')])
}

function basePaths(root: string, outside: string): string[] {
  const name = basename(outside)
  return [
    ...[`../${name}/secret.txt`, `../${name}`, '..', '../..', `sub/../../${name}/secret.txt`, `./../${name}`],
    ...[
      `sub/link-up/${name}/secret.txt`,
      'sub/link-up',
      'link-out',
      'link-out/secret.txt',
      'link-out/new.txt',
    ],
    ...[
      'link-file',
      'link-chain/deep/secret.txt',
      'link-new',
      'loop',
      'loop/x',
      'zero',
      'fifo',
      'link-out/deep/..',
    ],
    ...[outside, `${outside}/secret.txt`, `${outside}/new/x.txt`, `${root}/../${name}/secret.txt`],
    ...[
      '/etc/passwd',
      '/proc/self/environ',
      `/proc/self/root${outside}/secret.txt`,
      '/dev/stdin',
      '/dev/fd/0',
      '/',
    ],
    ...[
      '~',
      '~/secret.txt',
      '~root/x',
      '$HOME/x',
      '%USERPROFILE%\\x',
      '$(cat x)',
      '`x`',
      '*',
      '-rf',
      '--files',
    ],
    ...[
      '\\\\server\\share\\x',
      '//server/share/x',
      'C:\\Windows\\x',
      'C:/Windows/x',
      `file://${outside}/secret.txt`,
    ],
    ...[
      `..\\${name}\\secret.txt`,
      `%2e%2e/${name}/secret.txt`,
      `..%2f${name}`,
      `．．/${name}`,
      `.. /${name}/secret.txt`,
    ],
    ...[
      `sub\0/../../${name}`,
      'mine.txt\0',
      '\0',
      `..\u200b/${name}`,
      `.\u0000./${name}`,
      '\ud800',
      'a\nb',
      '\u202etxt',
    ],
    ...[
      'CON',
      'nul.txt',
      'COM1',
      'aux.',
      'LPT¹',
      'mine.txt:stream',
      'mine.txt::$DATA',
      'MINE.TXT',
      'LINK-OUT/secret.txt',
    ],
    ...[
      'x'.repeat(300),
      'x/'.repeat(2_000),
      'y/'.repeat(4_000),
      '../'.repeat(3_000),
      'が.txt',
      'か\u3099.txt',
      'sub/',
      'sub/.',
      '',
      ' ',
    ],
    ...[
      'mine.txt.',
      'mine.txt ',
      'sub ./in.txt',
      '.../x',
      '.',
      './',
      '.git/config',
      'sub//in.txt',
      `${root}/mine.txt`,
    ],
  ]
}

const mutations: ((path: string) => string)[] = [
  (path) => path,
  (path) => `./${path}`,
  (path) => `sub/../${path}`,
  (path) => `sub/${path}`,
  (path) => `sub/link-up/${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => path.replaceAll('/', '\\'),
  (path) => path.replaceAll('/', '/./'),
  (path) => `${path}/`,
  (path) => `${path}/.`,
  (path) => `${path}/..`,
  (path) => path.toUpperCase(),
  (path) => path.normalize('NFD'),
  (path) => `${path}\0.txt`,
  (path) => `${path}.`,
  (path) => `${path} `,
  (path) => `link-chain/../${path}`,
]

describe('a path that tries to leave the folder', () => {
  it('reaches nothing, in more than 500 spellings, through any tool', async () => {
    const rig = await toolRig()
    const outside = outsideFolder()
    prepareRoot(rig, outside.path)
    const before = outside.look()
    const random = seededRandom(20_261_122)
    const bases = basePaths(rig.root, outside.path)
    const paths = new Set(bases)
    while (paths.size < 520) {
      const mutate = () => mutations[Math.floor(random() * mutations.length)] ?? String
      const base = bases[Math.floor(random() * bases.length)] ?? ''
      paths.add(mutate()(random() < 0.3 ? mutate()(base) : base))
    }
    let refused = 0
    for (const [index, path] of [...paths].entries()) {
      const isBase = bases.includes(path)
      // A spelling that was made from another goes through every twelfth tool, each time others.
      const chosen = callsWith(path).filter((_, at) => isBase || isSoak || (at + index) % 12 === 0)
      for (const [name, args] of [...chosen, ...(isBase ? globsWith(path) : [])]) {
        const shown = `${name} ${JSON.stringify(path).slice(0, 200)}`
        const result = await rig.run(name, args)
        expect(result.text.includes(sentinel), shown).toBe(false)
        if (!result.isOk) refused++
      }
      if (!readdirSync(rig.root).includes('mine.txt')) rig.write('mine.txt', 'mine\n')
    }
    expect(outside.look()).toBe(before)
    expect(refused).toBeGreaterThan(isSoak ? 3_000 : 1_000)
    for (const { folder } of rig.commands) expect(`${folder}/`.startsWith(`${rig.root}/`), folder).toBe(true)
  })
})

/** Numbers of the calls of an operation before which the swap is made. */
const turns = isSoak ? [1, 2, 3, 4, 5, 6, 8] : [1, 3]

/** Operations of the disk; a link replaces a folder or file just before one of these. */
const moments = [
  'lstat',
  'stat',
  'realPath',
  'pinFolder',
  'readPlain',
  'list',
  'writeNew',
  'rename',
  'remove',
] as const

type Moment = (typeof moments)[number]
type Operation = (...args: unknown[]) => Promise<unknown>

/** A disk that calls `before` before each operation once it is armed. */
function tellingDisk(before: (moment: Moment) => void): { disk: Disk; arm(): void } {
  let isArmed = false
  const told = moments.map((moment) => {
    const operation = nodeDisk[moment] as Operation
    const telling: Operation = (...args) => {
      if (isArmed) before(moment)
      return operation(...args)
    }
    return [moment, telling]
  })
  return {
    disk: diskWith(Object.fromEntries(told)),
    arm() {
      isArmed = true
    },
  }
}

describe('a place that is swapped between the check and the use', () => {
  // A command is run by the shell, which opens what it names itself.
  const tools = names
    .filter((name) => toolTraits[name].access !== 'run' && placesOf(name).some(([, kind]) => kind !== 'glob'))
    .map((name): ToolCall => {
      const inSub = {
        file: 'sub/secret.txt',
        known: 'sub/secret.txt',
        target: 'sub/new.txt',
        folder: 'sub',
        any: 'sub',
      }
      const places = placesOf(name).flatMap(([place, kind]) =>
        kind === 'glob' ? [] : [[place, inSub[kind]]],
      )
      return [name, callArgs(name, Object.fromEntries(places))]
    })

  /** The store of all rigs of a test, which are dozens. */
  function sharedStore(): WholeStore {
    const store = openTestStore(join(tempFolder(), 'tsugi.db'))
    onTestFinished(() => store.close())
    return store
  }

  async function place(store: WholeStore, disk: Disk): Promise<ToolRig> {
    const rig = await toolRig({ disk, store })
    rig.write('sub/secret.txt', 'mine\n')
    await rig.run('read_file', { path: 'sub/secret.txt' })
    return rig
  }

  /** Counts each operation of a call without a swap. */
  async function countMoments(
    store: WholeStore,
    [name, args]: [string, object],
  ): Promise<Record<Moment, number>> {
    const counts = Object.fromEntries(moments.map((moment) => [moment, 0])) as Record<Moment, number>
    const { disk, arm } = tellingDisk((moment) => {
      counts[moment] += 1
    })
    const rig = await place(store, disk)
    arm()
    expect(await rig.run(name, args)).toMatchObject({ isOk: true })
    return counts
  }

  async function attack(
    store: WholeStore,
    [name, args]: [string, object],
    what: 'folder' | 'file',
    moment: Moment,
    nth: number,
  ): Promise<void> {
    const outside = outsideFolder()
    let seen = 0
    const { disk, arm } = tellingDisk((now) => {
      if (now !== moment || ++seen !== nth) return
      const [from, to] =
        what === 'folder' ? ['sub', outside.path] : ['sub/secret.txt', `${outside.path}/secret.txt`]
      renameSync(join(rig.root, from), join(rig.root, 'aside'))
      symlinkSync(to, join(rig.root, from))
    })
    const rig = await place(store, disk)
    const before = outside.look()
    arm()
    const result = await rig.run(name, args)
    const shown = `${name}, ${what} swapped before ${moment} ${nth} (of ${seen})`
    expect(seen, shown).toBeGreaterThanOrEqual(nth)
    expect(result.text.includes(sentinel), shown).toBe(false)
    expect(result.text.includes('deep'), shown).toBe(false)
    expect(outside.look(), shown).toBe(before)
  }

  it.each(['folder', 'file'] as const)('never leads a tool outside: a %s', async (what) => {
    const store = sharedStore()
    let attacks = 0
    for (const tool of tools) {
      const counts = await countMoments(store, tool)
      for (const moment of moments) {
        for (const nth of turns.filter((turn) => turn <= counts[moment])) {
          await attack(store, tool, what, moment, nth)
          attacks += 1
        }
      }
    }
    expect(attacks).toBeGreaterThan(50)
  })

  it('is seen when it was swapped after the call was prepared', async () => {
    const store = sharedStore()
    for (const tool of tools) {
      const outside = outsideFolder()
      const rig = await toolRig({ store })
      rig.write('sub/secret.txt', 'mine\n')
      await rig.run('read_file', { path: 'sub/secret.txt' })
      const call = await rig.call(...tool)
      const before = outside.look()
      renameSync(join(rig.root, 'sub'), join(rig.root, 'aside'))
      symlinkSync(outside.path, join(rig.root, 'sub'))
      const result = await runCall(call)
      expect(result.isOk, tool[0]).toBe(false)
      expect(result.text).not.toContain(sentinel)
      expect(outside.look()).toBe(before)
      if (call.access === 'write') expect(await call.renew()).toBeNull()
    }
  })
})
