import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { createCommandChanges, type PendingMoves } from '../../../src/main/sandbox/changes/command-changes.ts'
import { createWritableFolder } from '../../../src/main/workspace/writable-folder.ts'
import { placeOnDisk } from '../../fakes/disks/on-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { changeSetRig } from '../../fakes/rigs/change-set-rig.ts'
import { sandboxedProject, sandboxHere } from '../../fakes/rigs/real-sandbox.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'

placeOnDisk()

const here = await sandboxHere()
const series = process.env.TSUGI_SOAK ? Number(process.env.TSUGI_CASES ?? 500) : 8
const firstSeed = Number(process.env.TSUGI_SEED ?? 1)

const projectFiles: Record<string, string> = {
  '.gitignore': 'build/\nout\n*.log\n',
  'a.txt': 'a',
  'b.txt': 'b',
  'd/1': '1',
  'd/2/3': '3',
  'd/AGENTS.md': 'rules',
  'build/o': 'o',
  'build/p/q': 'q',
  out: 'one file',
  'x.log': 'log',
}

/** All files of a folder with their contents, links with their targets, and folders with nothing in them. */
function treeOf(root: string): Map<string, string> {
  const found = new Map<string, string>()
  const look = (folder: Buffer, at: string): void => {
    const names = readdirSync(folder, { encoding: 'buffer' })
    if (names.length === 0) found.set(at.slice(0, -1), 'folder')
    for (const name of names) {
      const path = Buffer.concat([folder, Buffer.from('/'), name])
      const shown = at + name.toString('utf8')
      const stats = lstatSync(path)
      if (stats.isDirectory()) look(path, `${shown}/`)
      else if (stats.isFile()) {
        // Of the owner's own files as well, whoever runs this.
        if ((stats.mode & 0o400) === 0) chmodSync(path, 0o600)
        const hash = createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12)
        found.set(shown, `file ${hash}`)
      } else found.set(shown, stats.isSymbolicLink() ? `link ${readlinkSync(path)}` : 'special')
    }
  }
  look(Buffer.from(root), '')
  return found
}

async function walledProject(files: Record<string, string>, prepare?: (project: string) => void) {
  const { project, dataDir, run, sandbox } = await sandboxedProject(files)
  prepare?.(project)
  const { changeSets, store } = changeSetRig(tempFolder())
  onTestFinished(() => store.close())
  const none = async (): Promise<void> => undefined
  const documents = {
    flush: none,
    beginChange: () => () => undefined,
    fileChanged: none,
    fileRemoved: none,
    fileMoved: () => undefined,
  }
  const folder = createWritableFolder({ root: project, added: [], disk: nodeDisk, documents, changeSets })
  const pending = new Map<string, PendingMoves>()
  /** Runs a line and returns its result. */
  const play = async (line: string) => {
    const ran = await run(line, { timeoutMs: 60_000 })
    const copied = tempFolder()
    const { program, args } = ran.run.merged
    spawnSync(program, [
      ...args,
      'sh',
      '-c',
      '{ cp -a . "$1"; chmod -R u+rwX "$1"; } 2>/dev/null',
      'copy',
      copied,
    ])
    const wanted = treeOf(copied)
    const commandChanges = createCommandChanges(ran.run, {
      dataDir,
      environment: { PATH: process.env.PATH ?? '' },
      isAsked: (path) => /AGENTS\.md$|\.env$|\.git\//.test(path),
      log: { write: () => undefined },
      disk: nodeDisk,
      folder,
      asked: { keep: () => undefined, done: () => undefined },
      moves: {
        begin: (id, moves) => void pending.set(id, moves),
        done: (id) => void pending.delete(id),
        isBegun: (id) => pending.has(id),
      },
      remove: sandbox.remove,
    })
    const plan = await commandChanges.plan()
    const applied = await commandChanges.apply(plan, 'test')
    expect(existsSync(ran.run.folder)).toBe(false)
    expect(pending.size).toBe(0)
    const said = [...plan.left.map(({ path }) => path), ...plan.conflicts, ...applied.left]
    return { ...ran, plan, said, wanted }
  }
  return { project, play }
}

const say = (name: string): string => `$'${name.replace(/'/g, "\\'")}'`
const names = [
  'a.txt',
  'b.txt',
  'd',
  'd/1',
  'd/2',
  'd/2/3',
  'd/2/3/4',
  'd/AGENTS.md',
  'build',
  'build/o',
  'build/p',
  'build/p/q',
  'build/p/q/r',
  'out',
  'out/deep',
  'x.log',
  'x.log/y',
  'new',
  'new/x',
  'new/x/y',
  'line\\nbreak',
  'tab\\there',
  'bad\\xffbyte',
  'build/bad\\xffbyte',
  'd/bad\\xff/in',
  'build/line\\nbreak',
  ':',
  ':/build/o',
  ':(glob)x',
  '-rf',
  'build/-n',
  'caf\\u00e9',
  'cafe\\u0301',
  'A.TXT',
  'CON',
  'end.',
  'a:b',
  'build/a:b',
  '\\u202etxt.exe',
  'sub/HEAD',
  'sub/.git/config',
  'build/.git/hooks/pre-commit',
  `build/${'n'.repeat(255)}`,
  'n'.repeat(255),
  'link',
  'link/x',
  'build/link',
  'build/link/x',
].map(say)
const moves: ((one: string, other: string, n: number) => string)[] = [
  (one, _, n) => `mkdir -p -- "$(dirname -- ${one})"; echo ${n} > ${one}`,
  (one) => `rm -rf -- ${one}`,
  (one) => `rm -rf -- ${one}; mkdir -p -- ${one}; echo in > ${one}/in`,
  (one) => `rm -rf -- ${one}; mkdir -p -- "$(dirname -- ${one})"; echo file > ${one}`,
  (one, other) => `mv -- ${one} ${other}`,
  (one, other) => `cp -a -- ${one} ${other}`,
  (one) => `rm -rf -- ${one}; mkfifo -- ${one}`,
  (one) => `rm -rf -- ${one}; ln -s -- /etc ${one}`,
  (one, other) => `rm -rf -- ${one}; ln -s -- ${other} ${one}`,
  (one, other) => `ln -f -- ${one} ${other}`,
  (one) => `chmod 7777 -- ${one}`,
  (one) => `chmod 0 -- ${one}`,
  (one) => `chmod 400 -- ${one}`,
  (one) => `mkdir -p -- ${one}; chmod 100 -- ${one}`,
  (one) => `mknod -- ${one} c 0 0`,
  (one) => `setfattr -n user.overlay.opaque -v y -- ${one}; setfattr -n user.overlay.whiteout -v y -- ${one}`,
]

/** A path of one of the lists, or one that lies beneath or above it. */
function isNamed(said: readonly string[], path: string): boolean {
  return said.some((one) => one === path || path.startsWith(`${one}/`) || one.startsWith(`${path}/`))
}

describe.skipIf(here.kind === 'none')('what is taken over of a walled command', () => {
  it(`${series} series of hostile changes: each is taken over or named, and nothing lies outside`, async () => {
    for (let seed = firstSeed; seed < firstSeed + series; seed++) {
      const random = seededRandom(seed)
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
      const outside = tempFolder()
      writeFileSync(join(outside, 'kept'), 'kept')
      const { project, play } = await walledProject(projectFiles, (root) =>
        symlinkSync(outside, join(root, 'link')),
      )
      const steps = Array.from({ length: 1 + Math.floor(random() * 12) }, (_, n) =>
        pick(moves)(pick(names), pick(names), n),
      )
      const line = steps.join('\n')
      const { said, wanted } = await play(`{ ${line}\n} 2>/dev/null; true`).catch((error: unknown) => {
        throw new Error(`seed ${seed}\n${line}`, { cause: error })
      })
      const after = treeOf(project)
      const silent = [...new Set([...wanted.keys(), ...after.keys()])].filter(
        (path) => wanted.get(path) !== after.get(path) && !isNamed(said, path),
      )
      expect(silent, `seed ${seed}\n${line}`).toEqual([])
      expect(readdirSync(outside), `seed ${seed}`).toEqual(['kept'])
    }
  })

  it('names an empty folder that cannot be placed', async () => {
    const { play } = await walledProject({ 'a.txt': 'a' })
    const { plan, said } = await play('mkdir end. made')
    expect(plan.entries.map(({ path }) => path)).toEqual(['made'])
    expect(said).toEqual(['end.'])
  })

  it('goes on past what no path reaches, and removes it', async () => {
    const { project, play } = await walledProject({ 'a.txt': 'a' })
    const { plan } = await play(
      'echo b > b.txt; n=$(printf %0200d 7); for i in $(seq 40); do mkdir $n && cd $n || exit; done; echo deep > deep.txt',
    )
    expect(readFileSync(join(project, 'b.txt'), 'utf8')).toBe('b\n')
    expect(plan.left.map(({ kind }) => kind)).toEqual(['name'])
  })

  it('asks about a tracked file in an ignored folder, whatever else Git cannot answer', async () => {
    const { project, play } = await walledProject(
      { '.gitignore': 'dist/\n', 'dist/tracked': 'tracked' },
      (root) => {
        const git = (...args: string[]) => spawnSync('git', args, { cwd: root })
        git('init', '-q')
        git('add', '-f', 'dist/tracked')
        symlinkSync('/nowhere', join(root, 'a-link'))
      },
    )
    const line =
      'rm a-link; mkdir -p a-link :; echo x > a-link/x; echo y > :/y; echo new | tee dist/tracked dist/new'
    const { plan } = await play(line)
    expect(plan.files.map(({ path }) => path)).toEqual(['dist/tracked'])
    expect(plan.ignored.map(({ top, files }) => [top, files])).toEqual([['dist/new', 1]])
    expect(plan.left.map(({ path }) => path).sort()).toEqual([':/y', 'a-link', 'a-link/x'])
    expect(readFileSync(join(project, 'dist/tracked'), 'utf8')).toBe('new\n')
  })

  it('makes, changes and removes links and folders, also empty ignored ones', async () => {
    const files = { '.gitignore': 'build/\n', 'a.txt': 'a', 'old/deep/f': 'f', 'kept/g': 'g' }
    const { project, play } = await walledProject(files, (root) => {
      symlinkSync('a.txt', join(root, 'changed'))
      symlinkSync('a.txt', join(root, 'removed'))
      symlinkSync('a.txt', join(root, 'replaced'))
    })
    const line =
      'ln -s a.txt made; ln -sfn kept changed; rm removed; mkdir -p new/empty build/cache; rm -r old; echo x > y; mv y replaced; ln -s /etc out; ln -sf a.txt kept/g'
    const { plan, said } = await play(line)
    expect(said.sort()).toEqual(['kept/g', 'replaced'])
    expect(plan.entries.filter(({ leadsOut }) => leadsOut).map(({ path }) => path)).toEqual(['out'])
    const shown = Object.fromEntries([...treeOf(project)].filter(([, what]) => !what.startsWith('file')))
    expect(shown).toEqual({
      made: 'link a.txt',
      changed: 'link kept',
      replaced: 'link a.txt',
      out: 'link /etc',
      'new/empty': 'folder',
      'build/cache': 'folder',
    })
    expect(existsSync(join(project, 'old'))).toBe(false)
  })

  it('leaves renamed files under their old names where the new ones cannot be placed', async () => {
    const files = { '.gitignore': 'out/\n', 'Ch 1.md': 'sea', 'Part 1/a.md': 'deep', 'out/b.md': 'built' }
    const { project, play } = await walledProject({ ...files, 'gone.md': 'gone' })
    const line = 'mv "Ch 1.md" "Ch 1: Sea.md"; mv "Part 1" "Part 1: Sea"; mv out/b.md "b: b.md"; rm gone.md'
    const { plan, said } = await play(line)
    expect(plan.files.map(({ path, newBytes }) => [path, newBytes])).toEqual([['gone.md', null]])
    expect([plan.ignored, plan.entries]).toEqual([[], []])
    expect(said.sort()).toEqual([
      'Ch 1.md',
      'Ch 1: Sea.md',
      'Part 1/a.md',
      'Part 1: Sea/a.md',
      'b: b.md',
      'out/b.md',
    ])
    for (const [path, text] of Object.entries(files))
      expect(readFileSync(join(project, path), 'utf8')).toBe(text)
  })

  it('puts a folder in the place of an ignored file, and a file in that of an ignored folder', async () => {
    const { project, play } = await walledProject({ '.gitignore': 'one\ntwo\n', one: 'file', 'two/a/b': 'b' })
    const { said } = await play('rm -r one two; mkdir one; echo in > one/in; echo file > two')
    expect(said).toEqual([])
    expect(readFileSync(join(project, 'one/in'), 'utf8')).toBe('in\n')
    expect(readFileSync(join(project, 'two'), 'utf8')).toBe('file\n')
  })
})
