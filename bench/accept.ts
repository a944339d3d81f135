/** Accepting a speculation, compared with bringing in the same files by Git: a worktree, a commit and a merge. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Disk, nodeDisk } from '../src/main/platform/files/disk.ts'
import { systemRandom } from '../src/main/platform/random.ts'
import { noAnswers } from '../src/main/speculation/accept/acceptable-link.ts'
import type { Overlay } from '../src/main/speculation/overlay/overlay.ts'
import type { ToolOperations } from '../src/main/tools/tool-operations.ts'
import { acceptanceRig } from '../tests/fakes/rigs/acceptance-rig.ts'
import { overlaysAt, plainOperations } from '../tests/fakes/rigs/overlay-parts.ts'
import { measureTab } from './accept-window.ts'
import { temporaryFolder } from './model-files.ts'
import { readProse } from './prose.ts'
import { type BenchOptions, type Comparison, comparisonTable, type Report } from './report.ts'
import { median, timed } from './timing.ts'

const never = new AbortController().signal
const fileChars = 4_000
const filesPerFolder = 100
const shownFiles = 10
const run = promisify(execFile)

/** Settings of both sides for syncing files to the disk. */
const durabilities = [
  { title: 'every fsync', disk: nodeDisk, git: ['-c', 'core.fsync=all', '-c', 'core.fsyncMethod=fsync'] },
  { title: 'no fsync', disk: unsyncedDisk(), git: ['-c', 'core.fsync=none'] },
] as const

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const { text, source } = await readProse()
  const files = isQuick ? 1_000 : 10_000
  const tables = []
  for (const { title, disk, git } of durabilities) {
    const comparisons: Comparison[] = []
    for (const count of isQuick ? [1, 100] : [1, 100, 1_000]) {
      const times = count === 1_000 ? 3 : isQuick ? 3 : 7
      const [own, baseline] = [await newProject(text, files), await newProject(text, files)]
      const ownMs = []
      const gitMs = []
      for (let round = 0; round < times; round++) {
        ownMs.push(await acceptedIn(own, disk, count, round, false))
        gitMs.push(await mergedIn(baseline, git, count, round))
      }
      const goal = goalOf(title, count, median(gitMs))
      comparisons.push({
        measure: `${count.toLocaleString('en')} files`,
        unit: 'ms',
        value: median(ownMs),
        baseline: median(gitMs),
        ...(goal === null ? {} : { goal: { most: goal } }),
      })
    }
    tables.push(
      comparisonTable(`From the first speculated write to the folder, ${title}`, 'git', comparisons),
    )
  }
  const project = await newProject(text, files)
  const rounds = isQuick ? 3 : 7
  const shownMs = []
  const staleMs = []
  for (let round = 0; round < rounds; round++) {
    shownMs.push(await acceptedIn(project, nodeDisk, shownFiles, round, true))
    staleMs.push(await searchedIn(project))
  }
  const folderFiles = files.toLocaleString('en')
  tables.push(
    comparisonTable('From Tab to the end of the acceptance, a speculation with a command', 'none', [
      shownRow(shownMs),
      {
        measure: `stale files found, of ${folderFiles}`,
        unit: 'ms',
        value: median(staleMs),
        goal: { most: 200 },
      },
    ]),
  )
  const paintedMs = await measureTab(project.root, shownFiles, rounds)
  if (paintedMs !== null)
    tables.push(
      comparisonTable('From Tab to the turn in the window, a speculation with a command', 'none', [
        shownRow(paintedMs),
      ]),
    )
  return {
    title: 'Accepting work ahead',
    about: [
      `A folder of ${folderFiles} files of about ${fileChars.toLocaleString('en')} characters; text: ${source}. Each file gets one other line. Ours: an overlay is opened and written, then accepted in one transaction with the conversation (SQLite syncs in both tables). Git: \`worktree add\`, the same writes, \`add\`, \`commit\`, \`merge\`, \`worktree remove\`. In turns, the middle of 7 (1,000 files: 3). From Tab to the end: the look at all files that the command may have read, the plan, the commit and the files, without the window; the search for stale files is its part, and is measured alone as well. To the turn in the window: the built host and its window in Chromium, from the key to the second frame with the message, the middle of ${rounds}.`,
      ...(paintedMs === null ? ['Skipped, since commands cannot run in a sandbox here: the window.'] : []),
    ],
    tables,
  }
}

function shownRow(spentMs: readonly number[]): Comparison {
  const measure = `${shownFiles} files and a run of tests`
  return { measure, unit: 'ms', value: median(spentMs), goal: { most: 150 } }
}

/** A disk that syncs no file and no folder. */
function unsyncedDisk(): Disk {
  return {
    ...nodeDisk,
    async writeNew(path, bytes, { mode }) {
      await writeFile(path, bytes, { flag: 'wx', ...(mode === undefined ? {} : { mode }) })
      if (mode !== undefined) await chmod(path, mode)
    },
    pinFolder: async (path) => ({ ...(await nodeDisk.pinFolder(path)), sync: async () => undefined }),
  }
}

/** A hundred files are not to be slower than Git with every fsync, and ten times as fast without. Units: ms. */
function goalOf(title: string, count: number, gitMs: number): number | null {
  if (count !== 100) return null
  return Math.round(title === 'no fsync' ? gitMs / 10 : gitMs)
}

type Project = { root: string; dataDir: string }

async function newProject(text: string, files: number): Promise<Project> {
  const project = { root: temporaryFolder(), dataDir: temporaryFolder() }
  for (let at = 0; at < files; at++) {
    const path = join(project.root, pathOf(at))
    if (at % filesPerFolder === 0) await mkdir(dirname(path), { recursive: true })
    const from = (at * fileChars) % Math.max(1, text.length - fileChars)
    await writeFile(path, `// file ${at}\n${text.slice(from, from + fileChars).toWellFormed()}\n`)
  }
  const git = gitIn(project.root, ['-c', 'core.fsync=none'])
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.email', 'bench@example.invalid')
  await git('config', 'user.name', 'bench')
  await git('config', 'gc.auto', '0')
  await git('add', '-A')
  await git('commit', '-qm', 'first')
  return project
}

/** Measures a speculation with its acceptance, or the acceptance alone where a command `hasRun`. Units: ms. */
async function acceptedIn(
  { root, dataDir }: Project,
  disk: Disk,
  count: number,
  round: number,
  hasRun: boolean,
): Promise<number> {
  const rig = acceptanceRig({ dataDir: temporaryFolder(), root, disk })
  const overlays = overlaysAt({ dataDir, hostId: systemRandom.id(), disk })
  const base = withCommands(plainOperations({ root, changeSets: rig.changeSets, disk }))
  try {
    const opened = await timed(async () => {
      const overlay = await overlays.open({ root, base })
      for (let at = 0; at < count; at++) await write(overlay.operations, at, round)
      return overlay
    })
    const overlay = opened.result
    if (hasRun) await runTests(overlay)
    const link = { ...rig.play({ files: {} }), overlay }
    const accepted = await timed(() => rig.acceptance.accept(link, rig.into, noAnswers))
    if (accepted.result.step !== 'accepted') throw new Error(`not accepted: ${accepted.result.step}`)
    await overlay.discard()
    return hasRun ? accepted.ms : opened.ms + accepted.ms
  } finally {
    rig.store.close()
  }
}

/** Measures the search for files that have changed since a command ran. Units: ms. */
async function searchedIn({ root, dataDir }: Project): Promise<number> {
  const changeSets = { apply: () => Promise.reject(new Error('nothing is changed here')) }
  const base = withCommands(plainOperations({ root, changeSets }))
  const overlay = await overlaysAt({ dataDir, hostId: systemRandom.id() }).open({ root, base })
  await runTests(overlay)
  const { ms, result } = await timed(() => overlay.staleForCommands())
  await overlay.discard()
  if (result.paths.length > 0) throw new Error(`changed since: ${result.paths.join(', ')}`)
  return ms
}

async function write(operations: ToolOperations, at: number, round: number): Promise<void> {
  const { bytes, hash } = await operations.read(pathOf(at), 1_000_000)
  const changed = Buffer.from(changedText(bytes.toString(), round))
  await operations.apply([{ kind: 'write', path: pathOf(at), baseHash: hash, bytes: changed }], '')
}

/** A copy in which a command ran that changed nothing. */
function withCommands(base: ToolOperations): ToolOperations {
  return {
    ...base,
    execute: async () => ({
      commandId: 'tests',
      end: 'exited',
      exitCode: 0,
      signal: null,
      output: '54 passed',
      totalBytes: 9,
      isCut: false,
      durationMs: 1,
      copy: {
        effects: {
          files: [],
          gone: [],
          folders: [],
          oddFolders: [],
          ignored: new Map(),
          conflicts: [],
          left: [],
        },
        beganAtNs: BigInt(Date.now()) * 1_000_000n,
        remove: async () => undefined,
      },
    }),
  }
}

async function runTests({ operations }: Overlay): Promise<void> {
  const command = { line: 'npm test', folder: '.', timeoutMs: 60_000, isBackground: false, isReadOnly: false }
  await operations.execute({ ...command, isSandboxed: true }, () => undefined, never)
}

/** Units: ms. */
async function mergedIn(
  { root, dataDir }: Project,
  options: readonly string[],
  count: number,
  round: number,
): Promise<number> {
  const tree = join(dataDir, `tree-${round}`)
  const main = gitIn(root, options)
  const side = gitIn(tree, options)
  const { ms } = await timed(async () => {
    await main('worktree', 'add', '-q', '-b', `speculated-${round}`, tree)
    for (let at = 0; at < count; at++) {
      const path = join(tree, pathOf(at))
      const bytes = await nodeDisk.read(path, 1_000_000)
      await writeFile(path, changedText(bytes.toString(), round))
    }
    await side('add', '-A')
    await side('commit', '-qm', 'ahead')
    await main('merge', '-q', '--no-edit', `speculated-${round}`)
    await main('worktree', 'remove', '--force', tree)
  })
  await rm(tree, { recursive: true, force: true })
  return ms
}

function gitIn(cwd: string, options: readonly string[]): (...args: string[]) => Promise<unknown> {
  return (...args) => run('git', [...options, ...args], { cwd, maxBuffer: 100_000_000 })
}

function changedText(text: string, round: number): string {
  return text.replace(/\n[^\n]*\n/, `\nconst changed = ${round}\n`)
}

function pathOf(at: number): string {
  return `src/${Math.floor(at / filesPerFolder)}/file-${at}.ts`
}
