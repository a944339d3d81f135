/** A command in the sandbox, compared with the same command in the folder itself, and the application of its changes. */
import { spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { readGateData } from '../src/main/gates/gate-data.ts'
import { secretsIn } from '../src/main/gates/risk/secret-places.ts'
import { nodeDisk } from '../src/main/platform/files/disk.ts'
import { systemRandom } from '../src/main/platform/random.ts'
import { createCommandSandbox, type SandboxPlace } from '../src/main/sandbox/command-sandbox.ts'
import { createLinuxSandbox } from '../src/main/sandbox/linux-sandbox.ts'
import type { SandboxRun } from '../src/main/sandbox/sandbox.ts'
import { createWritableFolder } from '../src/main/workspace/writable-folder.ts'
import { changeSetRig } from '../tests/fakes/rigs/change-set-rig.ts'
import { silentLog } from '../tests/fakes/silent-log.ts'
import { temporaryFolder } from './model-files.ts'
import { type BenchOptions, type Comparison, comparisonTable, type Report } from './report.ts'
import { median, timed } from './timing.ts'

const variables = { PATH: process.env.PATH ?? '', HOME: homedir() }
const filesPerFolder = 100
const ended = { isOk: true, isCut: false, output: '' }
const goals = { wallMs: 30, build: 1.2 } as const

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const files = isQuick ? 2_000 : 10_000
  const times = isQuick ? 3 : 9
  const project = await newProject(files)
  if ((await project.commands.status()).kind === 'none') throw new Error('no sandbox on this machine')

  const plainMs: number[] = []
  const walledMs: number[] = []
  const secretsMs: number[] = []
  for (let round = 0; round < times; round++) {
    secretsMs.push((await timed(() => secretsIn(nodeDisk, kinds, project.root))).ms)
    plainMs.push((await timed(() => play('bash', [], 'true', project.root))).ms)
    walledMs.push((await timed(async () => project.taken(await project.walled('true')))).ms)
  }
  const wall: Comparison = {
    measure: '`true`, with the scan behind it',
    unit: 'ms',
    value: median(walledMs),
    baseline: median(plainMs),
    goal: { most: Math.round(median(plainMs) + goals.wallMs) },
  }

  const secrets: Comparison = {
    measure: 'of that, looking for the secrets of the folder',
    unit: 'ms',
    value: median(secretsMs),
  }

  const builds = { plain: [] as number[], walled: [] as number[] }
  const build = `mkdir -p out && for n in $(seq ${files}); do echo $n > out/$n.txt; done`
  for (let round = 0; round < times; round++) {
    builds.plain.push((await timed(() => play('bash', [], build, project.root))).ms)
    await rm(join(project.root, 'out'), { recursive: true })
    const { ms, result } = await timed(() => project.walled(build))
    builds.walled.push(ms)
    await project.commands.remove(result)
  }
  const built: Comparison = {
    measure: `a build that writes ${files.toLocaleString('en')} files`,
    unit: 'ms',
    value: median(builds.walled),
    baseline: median(builds.plain),
    goal: { most: Math.round(median(builds.plain) * goals.build) },
  }

  const scans: Comparison[] = []
  for (const count of isQuick ? [1, 100] : [1, 100, 1_000])
    scans.push(...(await takingOver(project, count, times)))
  return {
    title: 'Commands in a copy',
    about: [
      `A folder of ${files.toLocaleString('en')} files. The baseline is the same line by bash in the folder itself, in turns; the middle of ${times}. Behind the wall counts from the look for the folder's secrets to the end of the run's folder. Scan: reading what the command changed and preparing its change set. Taking over: its commit and its files, with every fsync.`,
    ],
    tables: [
      comparisonTable('Behind the wall', 'in the folder', [wall, secrets, built]),
      comparisonTable('Changed files', 'none', scans),
    ],
  }
}

type Project = Awaited<ReturnType<typeof newProject>>

async function newProject(files: number) {
  const [root, dataDir] = [temporaryFolder(), temporaryFolder()]
  for (let at = 0; at < files; at++) {
    const path = join(root, pathOf(at))
    if (at % filesPerFolder === 0) await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `file ${at}\n`)
  }
  const { changeSets } = changeSetRig(dataDir)
  const documents = {
    flush: async () => undefined,
    beginChange: () => () => undefined,
    fileChanged: async () => undefined,
    fileRemoved: async () => undefined,
    fileMoved: () => undefined,
  }
  const folder = createWritableFolder({ root, added: [], disk: nodeDisk, documents, changeSets })
  const commands = commandsIn(dataDir)
  const place: SandboxPlace = { ownerId: 'bench', root, cwd: root, added: [], folder }
  return {
    root,
    commands,
    async walled(line: string): Promise<SandboxRun> {
      const run = await commands.begin(place)
      await play(run.wall.program, run.wall.args, line, root, run.environment)
      return run
    },
    taken: (run: SandboxRun) => commands.end(run, place, ended),
  }
}

const { kinds } = await readGateData(resolve(import.meta.dirname, '../resources'))

function commandsIn(dataDir: string) {
  let passed: string | null = null
  const sandbox = createLinuxSandbox({
    disk: nodeDisk,
    random: systemRandom,
    log: silentLog,
    dataDir,
    home: homedir(),
    path: variables.PATH,
    passed: {
      get: () => passed,
      set(key) {
        passed = key
      },
    },
  })
  return createCommandSandbox({
    sandbox,
    disk: nodeDisk,
    random: systemRandom,
    log: silentLog,
    dataDir,
    kept: {
      folders: () => [],
      setFolders: () => undefined,
      asked: () => ({}),
      setAsked: () => undefined,
      moves: () => ({}),
      setMoves: () => undefined,
    },
    environment: async () => variables,
    safeEnvironment: async () => variables,
    secretsIn: (root) => secretsIn(nodeDisk, kinds, root),
    isAsked: () => false,
    hasOpenGate: () => false,
  })
}

async function takingOver(project: Project, count: number, times: number): Promise<Comparison[]> {
  const [scanMs, applyMs]: [number[], number[]] = [[], []]
  for (let round = 0; round < times; round++) {
    const line = `for f in $(ls -d src/*/*.ts | head -${count}); do echo ${round} > $f; done`
    const run = await project.walled(line)
    const { ms, result } = await timed(() => project.taken(run))
    const { commandChanges } = result
    if (commandChanges === null) throw new Error('nothing was changed')
    scanMs.push(ms)
    const plan = await commandChanges.plan()
    if (plan.files.length !== count) throw new Error(`${plan.files.length} files changed instead of ${count}`)
    applyMs.push((await timed(() => commandChanges.apply(plan, 'bench'))).ms)
  }
  const measure = `${count.toLocaleString('en')} changed files`
  return [
    { measure: `scan, ${measure}`, unit: 'ms', value: median(scanMs) },
    { measure: `taking over, ${measure}`, unit: 'ms', value: median(applyMs) },
  ]
}

function play(
  program: string,
  args: readonly string[],
  line: string,
  cwd: string,
  env: Readonly<Record<string, string>> = variables,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const all = program === 'bash' ? ['-c', line] : [...args, 'bash', '-c', line]
  const child = spawn(program, all, { cwd, env: { ...env }, stdio: 'ignore' })
  child.once('error', reject)
  child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`ended with ${code}`))))
  return promise
}

function pathOf(at: number): string {
  return `src/${Math.floor(at / filesPerFolder)}/file-${at}.ts`
}
