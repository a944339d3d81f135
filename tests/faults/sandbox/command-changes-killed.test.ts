/** The host is killed (`kill -9`) while it takes over what a command changed in a copy, and started again. */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isTempFileName } from '../../../src/main/platform/files/atomic-file.ts'
import { placeOnDisk } from '../../fakes/disks/on-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { sandboxHere } from '../../fakes/rigs/real-sandbox.ts'
import { childProgram } from '../../fakes/victims/child-program.ts'
import { commandChangesHost } from '../../fakes/victims/command-changes-host.ts'

placeOnDisk()

const isSoak = process.env.TSUGI_SOAK === '1'
const here = await sandboxHere()
const victim = await childProgram('command-changes-victim')

/** `TSUGI_CASES` spreads this many kills over the steps. */
const kills = process.env.TSUGI_CASES
/** `npm test` kills at a twelfth of the steps, each day at another twelfth; `TSUGI_SEED` names it (0 to 11). */
const shares = 12
const share = Number(process.env.TSUGI_SEED ?? Math.floor(Date.now() / 86_400_000)) % shares
/** Hosts that are killed at the same time. */
const together = 2

const files: Record<string, string> = {
  '.gitignore': 'build/\none\ntwo\n*.log\n',
  'a.txt': 'a old\n',
  'c.txt': 'c\n',
  'run.sh': 'run\n',
  'old/f.txt': 'f\n',
  'kept/k.txt': 'k\n',
  'kept/l.txt': 'l\n',
  'build/o': 'o old\n',
  'build/same': 'same\n',
  'build/gone/deep/x': 'x\n',
  'build/gone/deep/y': 'y\n',
  one: 'a file\n',
  'two/a/b': 'b\n',
  'x.log': 'log\n',
}

/** Changes ignored files in each way: contents, times, links, folders, a folder for a file and a file for a folder. */
const ignoredLine = [
  'echo o new > build/o; touch -d @1700000000 build/o',
  'mkdir -p build/new/deep build/bare; echo n > build/new/deep/n; chmod 750 build/new',
  'rm -r build/gone; ln -sfn new build/link; ln -s same build/made',
  'rm -r one two; mkdir one; echo in > one/in; echo a file > two',
  'echo more >> x.log; chmod 600 x.log',
].join('; ')

/** Changes other files as well. */
const wholeLine = [
  'echo a new > a.txt; mkdir -p new/empty; echo b > new/b.txt; rm c.txt; chmod 755 run.sh; rm -r old',
  // A folder that is made anew: the host mounts the copy once more to read it.
  'rm -r kept; mkdir kept; echo k > kept/k.txt; ln -s a.txt link',
  ignoredLine,
].join('; ')

type Killed = { isKilled: boolean; isApplied: boolean; said: string }

function folderOn(disk: string): string {
  const root = mkdtempSync(join(disk, 'tsugi-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    chmodSync(join(root, path), 0o644)
  }
  symlinkSync('o', join(root, 'build/link'))
  return root
}

/** Returns all that lies in a folder, with permissions, and the time of the file for which the command sets one. */
function treeOf(root: string): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    // Change sets leave these; the host removes them when it opens the folder.
    if (isTempFileName(path.slice(path.lastIndexOf('/') + 1))) continue
    const place = join(root, path)
    const stats = lstatSync(place)
    const mode = (stats.mode & 0o7777).toString(8)
    const time = path === 'build/o' ? ` ${stats.mtimeMs}` : ''
    if (stats.isSymbolicLink()) tree[path] = `link ${readlinkSync(place)}`
    else if (stats.isDirectory()) tree[path] = `folder ${mode}`
    else tree[path] = `file ${mode}${time} ${readFileSync(place, 'utf8')}`
  }
  return tree
}

/**
 * Returns processes that are about a folder: by their command line, their own folder, or a mount that they alone see. To
 * read the mounts of every process of the machine would take most of the time.
 */
function processesOf(...places: string[]): string[] {
  const textOf = (path: string): string => {
    try {
      return /(?:cwd|mnt)$/.test(path) ? readlinkSync(path) : readFileSync(path, 'utf8')
    } catch {
      // The process has ended.
      return ''
    }
  }
  const ownMounts = textOf('/proc/self/ns/mnt')
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((id) => {
      const mounts = textOf(`/proc/${id}/ns/mnt`) === ownMounts ? [] : ['mountinfo']
      return ['cmdline', 'cwd', ...mounts].some((name) => {
        const text = textOf(`/proc/${id}/${name}`)
        return places.some((place) => text.includes(place))
      })
    })
}

/** Waits until no process is about these places any more; returns those that stay. */
async function untilNothingRuns(...places: string[]): Promise<string[]> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(20))
    if (processesOf(...places).length === 0) return []
  return processesOf(...places)
}

function hostKilledAt(...args: string[]): Promise<{ isKilled: boolean; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [victim, ...args], (error, stdout, stderr) =>
      done({ isKilled: error?.signal === 'SIGKILL', stdout, stderr }),
    )
  })
}

/** Starts the parts of a host again, and returns what it has done and what is left then. */
async function startedAgain(dataDir: string) {
  const host = await commandChangesHost(dataDir)
  const runs = join(dataDir, 'sandbox/runs')
  const { recovered } = host
  const left = { ...host.pendingRuns(), runs: existsSync(runs) ? readdirSync(runs) : [] }
  await host.close()
  return { recovered, left }
}

type Scene = { disk: string; line: string }

/** Kills the host at one step, and checks what is left before and after the next start. */
async function killedAt(
  { disk, line }: Scene,
  step: number,
  trees: Trees | null,
): Promise<Killed & { after: Tree }> {
  const [dataDir, root] = [tempFolder(), folderOn(disk)]
  const before = treeOf(root)
  const { isKilled, stdout, stderr } = await hostKilledAt(dataDir, root, String(step), line)
  const said = `step ${step} ${trees?.steps[step - 1] ?? ''}`
  expect(stderr, said).toBe('')
  expect(await untilNothingRuns(dataDir, root), said).toEqual([])
  expect(readFileSync('/proc/self/mounts', 'utf8'), said).not.toContain(dataDir)
  const nothing = { asked: [], moves: [], runs: [] }
  expect((await startedAgain(dataDir)).left, said).toEqual(nothing)
  const after = treeOf(root)
  const isApplied = JSON.stringify(after) !== JSON.stringify(before)
  if (isApplied && trees !== null) expect(after, said).toEqual(trees.after)
  expect(await startedAgain(dataDir), said).toEqual({ recovered: 0, left: nothing })
  expect(treeOf(root), said).toEqual(after)
  return { isKilled, isApplied, said: stdout, after }
}

type Tree = Record<string, string>
type Trees = { after: Tree; steps: string[] }

/** A run that is not killed. */
async function playedWhole(scene: Scene): Promise<Trees> {
  const { said, isKilled, after } = await killedAt(scene, 0, null)
  const { steps, left } = JSON.parse(said) as { steps: string[]; left: string[] }
  expect([isKilled, left]).toEqual([false, []])
  expect(after['build/o']).toBe('file 644 1700000000000 o new\n')
  const places = [after['build/gone'], after['build/new'], after['one/in'], after.two]
  expect(places).toEqual([undefined, 'folder 750', 'file 644 in\n', 'file 644 a file\n'])
  return { after, steps }
}

/**
 * Returns for each kind of step its first and last occurrence: of these the day's share, and the two steps around the
 * commit. In the long series every occurrence of every step.
 */
function momentsOf(steps: readonly string[], commit: string): number[] {
  const isNamed = (step: string, at: number): boolean =>
    isSoak || steps.indexOf(step) === at || steps.lastIndexOf(step) === at
  const moments = steps.flatMap((step, at) => (isNamed(step, at) ? at + 1 : []))
  if (kills === undefined) {
    const committedAt = steps.indexOf(commit) + 1
    const ofShare = moments.filter((_, at) => isSoak || at % shares === share)
    return [...new Set([committedAt - 1, committedAt, ...ofShare])]
  }
  const gap = moments.length / Number(kills)
  return moments.filter((_, at) => Math.floor((at + 1) / gap) > Math.floor(at / gap))
}

async function killSeries(scene: Scene, commit: string): Promise<void> {
  const trees = await playedWhole(scene)
  const moments = momentsOf(trees.steps, commit)
  for (let at = 0; at < moments.length; at += together) {
    const some = moments.slice(at, at + together)
    const killed = await Promise.all(some.map((step) => killedAt(scene, step, trees)))
    expect(killed.map(({ isKilled }) => isKilled)).not.toContain(false)
    const committedAt = trees.steps.indexOf(commit) + 1
    expect(
      killed.map(({ isApplied }) => isApplied),
      `steps ${some}`,
    ).toEqual(some.map((step) => step >= committedAt))
  }
}

const otherDisk = ['/dev/shm', '/run/user'].find(
  (disk) => existsSync(disk) && statSync(disk).dev !== statSync(tmpdir()).dev,
)

describe.skipIf(here.kind === 'none')('kill -9 while the changes of a command in a copy are applied', () => {
  const timeout = isSoak || kills !== undefined ? 3_600_000 : 300_000

  it('at each step: nothing before the commit, all of it from there on', { timeout }, () =>
    killSeries({ disk: tmpdir(), line: wholeLine }, 'set committed'),
  )

  it.skipIf(otherDisk === undefined)(
    'also where ignored files alone changed, on another disk',
    { timeout },
    () => killSeries({ disk: otherDisk ?? '', line: ignoredLine }, 'after sandbox-moves'),
  )
})
