/** Naming files: completion for each keystroke, the index behind it, and reading what a message names. */
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { nodeDisk } from '../src/main/platform/files/disk.ts'
import { indexPaths, type PathIndex, searchKey } from '../src/main/references/path-index.ts'
import { rankPaths } from '../src/main/references/rank-paths.ts'
import { resolveReferences } from '../src/main/references/resolve-references.ts'
import { listFiles } from '../src/main/workspace/search/list-files.ts'
import { ripgrepPath } from '../src/main/workspace/search/ripgrep-path.ts'
import { createWorkspaceOperations } from '../src/main/workspace/workspace-operations.ts'
import { temporaryFolder } from './model-files.ts'
import { type Prose, readProse } from './prose.ts'
import { type BenchOptions, type Comparison, comparisonTable, type Report } from './report.ts'
import { median, quantile, timed } from './timing.ts'

const never = new AbortController().signal
const rgPath = ripgrepPath()
const limit = 20
const named = 100
const fileChars = 4_000

/** Queries that are typed letter by letter; each prefix is a keystroke. */
const queries = ['component', 'src/main/ind', 'read-ledger', 'srvtst', '第三章の', '小説/第', 'zzzzqq', 'a']

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const prose = await readProse()
  const files = isQuick ? 10_000 : 100_000
  const times = isQuick ? 3 : 7
  const root = temporaryFolder()
  await fill(root, files)
  const { index, rows } = await measureIndex(root, times)
  return {
    title: 'Naming files',
    about: [
      `${files.toLocaleString('en')} files in folders of 100, a tenth of them with Japanese names. A keystroke ranks all of them, ${limit} kept; the baseline looks for the same letters in each path (\`includes\`) and ranks nothing. The index is made of ripgrep's list; its baseline is the program alone, its output dropped. A message with ${named} references reads files of ${fileChars.toLocaleString('en')} characters with every check; its baseline reads them. Text: ${prose.source}. The middle of ${times}, keystrokes in their order.`,
    ],
    tables: [
      comparisonTable('Completion, one keystroke', 'includes', measureKeystrokes(index, times)),
      comparisonTable('The index', 'ripgrep alone', rows),
      comparisonTable('Reading what a message names', 'readFile', [
        await measureResolving(root, prose, times),
      ]),
    ],
  }
}

function measureKeystrokes(index: PathIndex, times: number): Comparison[] {
  const recent = index.paths.toSorted().slice(500, 700)
  const keys = index.paths.map(searchKey)
  const oursMs: number[] = []
  const plainMs: number[] = []
  const clock = (work: () => unknown): number => {
    const from = performance.now()
    work()
    return performance.now() - from
  }
  for (let round = 0; round < times; round++) {
    for (const query of queries) {
      for (let end = 0; end <= query.length; end++) {
        const typed = query.slice(0, end)
        oursMs.push(clock(() => rankPaths(index, typed, recent, limit)))
        plainMs.push(clock(() => keys.filter((key) => key.includes(typed)).length))
      }
    }
  }
  const row = (measure: string, share: number): Comparison => ({
    measure,
    unit: 'ms',
    value: quantile(oursMs, share),
    baseline: quantile(plainMs, share),
  })
  return [
    row('the middle', 0.5),
    { ...row('95 of 100 are faster', 0.95), goal: { most: 16 } },
    row('the slowest', 1),
  ]
}

async function measureIndex(root: string, times: number): Promise<{ index: PathIndex; rows: Comparison[] }> {
  const listMs: number[] = []
  const plainMs: number[] = []
  const indexMs: number[] = []
  let paths: string[] = []
  for (let i = 0; i < times; i++) {
    const listed = await timed(() => listFiles(nodeDisk, root, never))
    listMs.push(listed.ms)
    paths = listed.result
    plainMs.push((await timed(() => plainList(root))).ms)
    indexMs.push((await timed(() => indexPaths(paths))).ms)
  }
  const before = heapMb()
  const index = indexPaths(await listFiles(nodeDisk, root, never))
  const memory = heapMb() - before
  const list = { value: median(listMs), baseline: median(plainMs) }
  return {
    index,
    rows: [
      { measure: 'reading the names', unit: 'ms', ...list },
      { measure: 'indexing them', unit: 'ms', value: median(indexMs) },
      { measure: 'memory of the index, its paths included', unit: 'MB', value: memory },
    ],
  }
}

async function plainList(root: string): Promise<void> {
  const child = spawn(rgPath, ['--no-config', '--files', '.'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.resume()
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed)
    child.once('close', done)
  })
  if (code !== 0) throw new Error(`ripgrep ended with ${code}`)
}

async function measureResolving(root: string, { text }: Prose, times: number): Promise<Comparison> {
  const paths: string[] = []
  for (let at = 0; at < named; at++) {
    const path = `named/第${at}章.md`
    const from = (at * fileChars) % Math.max(1, text.length - fileChars)
    await mkdir(join(root, 'named'), { recursive: true })
    await writeFile(join(root, path), text.slice(from, from + fileChars).toWellFormed())
    paths.push(path)
  }
  const segments = [{ kind: 'text' as const, text: paths.map((path) => `@${path}を読んで。`).join('') }]
  const operations = createWorkspaceOperations({
    root,
    disk: nodeDisk,
    documents: { ...nothing, flush: async () => undefined, saveAll: async () => undefined },
    changeSets: { apply: () => Promise.reject(new Error('nothing is changed here')) },
    commands: {
      execute: () => Promise.reject(new Error('nothing is run here')),
      askedRun: async () => null,
      commandOutput: () => null,
      stopCommand: async () => false,
    },
  })
  const input = {
    operations,
    openText: async () => undefined,
    isSecret: async () => false,
    answers: {},
    encodings: { of: () => undefined, note: () => undefined },
    images: async () => null,
    budget: async () => ({ contextTokens: null, limitBytes: 16_384, count: async () => 0 }),
  }
  const oursMs: number[] = []
  const plainMs: number[] = []
  for (let i = 0; i < times; i++) {
    const resolved = await timed(() => resolveReferences(segments, input))
    if (resolved.result.files.some(({ file }) => file.state !== 'ok')) throw new Error('not all were found')
    oursMs.push(resolved.ms)
    plainMs.push((await timed(() => Promise.all(paths.map((path) => readFile(join(root, path), 'utf8'))))).ms)
  }
  return {
    measure: `${named} references in one message`,
    unit: 'ms',
    value: median(oursMs),
    baseline: median(plainMs),
    goal: { mostTimes: 8 },
  }
}

const nothing = {
  beginChange: () => () => undefined,
  fileChanged: async () => undefined,
  fileMoved: () => undefined,
  fileRemoved: async () => undefined,
}

async function fill(root: string, files: number): Promise<void> {
  const words = [
    'component',
    'index',
    'service',
    'test',
    'ledger',
    'reader',
    'window',
    'state',
    'main',
    'apply',
  ]
  const word = (at: number): string => words[at % words.length] ?? ''
  for (let folder = 0; folder < files / 100; folder++) {
    const isProse = folder % 10 === 9
    const place = isProse ? `小説/第${folder}部` : `src/${word(folder)}/${word(folder >> 3)}-${folder}`
    await mkdir(join(root, place), { recursive: true })
    const made = Array.from({ length: 100 }, (_, at) => {
      const name = isProse ? `第${at}章の${at % 7}.md` : `${word(at)}-${word(at * 7 + folder)}-${at}.ts`
      return writeFile(join(root, place, name), '')
    })
    await Promise.all(made)
  }
}

function heapMb(): number {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}
