/** Tools over an overlay with few and many changed files, beside the plain workspace. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { contentHash } from '../src/main/platform/files/content-hash.ts'
import { systemRandom } from '../src/main/platform/random.ts'
import type { GrepQuery, ToolOperations } from '../src/main/tools/tool-operations.ts'
import type { FileChange } from '../src/main/workspace/change-plan.ts'
import { overlaysAt, plainOperations } from '../tests/fakes/rigs/overlay-parts.ts'
import { temporaryFolder } from './model-files.ts'
import { readProse } from './prose.ts'
import { type BenchOptions, type Comparison, comparisonTable, type Report } from './report.ts'
import { median, timed } from './timing.ts'

const never = new AbortController().signal
const fileChars = 4_000
const filesPerFolder = 100
const reads = 100

type Use = { measure: string; run(operations: ToolOperations): Promise<unknown> }

const query: GrepQuery = {
  pattern: 'needle_in',
  isLiteral: true,
  ignoreCase: false,
  path: '.',
  glob: null,
  contextLines: 0,
  limit: 500,
}

const uses: Use[] = [
  {
    measure: `read ${reads} files`,
    async run(operations) {
      for (let at = 0; at < reads; at++) await operations.read(pathOf(at * 10), 1_000_000)
    },
  },
  { measure: `list a folder of ${filesPerFolder}`, run: (operations) => operations.list('src/3') },
  { measure: 'all names', run: (operations) => operations.glob('**', 1_000, never) },
  { measure: 'one word in one file', run: (operations) => operations.grep(query, never) },
]

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const { text, source } = await readProse()
  const files = isQuick ? 2_000 : 10_000
  const times = isQuick ? 5 : 15
  const root = temporaryFolder()
  await fill(root, text, files)
  const changeSets = { apply: () => Promise.reject(new Error('nothing is changed here')) }
  const base = plainOperations({ root, changeSets })
  const overlays = overlaysAt({ dataDir: temporaryFolder(), hostId: systemRandom.id() })
  const tables = []
  for (const changed of [0, 10, 1_000]) {
    const overlay = await overlays.open({ root, base })
    await change(overlay.operations, changed)
    const comparisons: Comparison[] = []
    for (const use of uses) comparisons.push(await compare(use, overlay.operations, base, times))
    tables.push(comparisonTable(`${changed.toLocaleString('en')} changed files`, 'workspace', comparisons))
    await overlay.discard()
  }
  return {
    title: 'Tools over an overlay',
    about: [
      `${files.toLocaleString('en')} files of about ${fileChars.toLocaleString('en')} characters in folders of ${filesPerFolder}; text: ${source}. The changed ones are spread over all folders, a tenth of them new. The baseline is the same operation on the plain workspace. In turns, the middle of ${times}.`,
    ],
    tables,
  }
}

async function compare(
  { measure, run }: Use,
  overlay: ToolOperations,
  base: ToolOperations,
  times: number,
): Promise<Comparison> {
  const oursMs: number[] = []
  const plainMs: number[] = []
  for (let count = 0; count < times; count++) {
    oursMs.push((await timed(() => run(overlay))).ms)
    plainMs.push((await timed(() => run(base))).ms)
  }
  return { measure, unit: 'ms', value: median(oursMs), baseline: median(plainMs) }
}

/** Changes files one per call, as tools do. */
async function change(operations: ToolOperations, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const isNew = at % 10 === 9
    const path = isNew ? `src/${at % 20}/new-${at}.ts` : pathOf(at * 2)
    const bytes = Buffer.from(`// changed ${at}\n`)
    const hash = isNew ? null : (await operations.read(path, 1_000_000)).hash
    const write: FileChange = { kind: 'write', path, baseHash: hash, bytes }
    await operations.apply([write], '')
    if ((await operations.read(path, 1_000)).hash !== contentHash(bytes)) throw new Error('not changed')
  }
}

function pathOf(at: number): string {
  return `src/${Math.floor(at / filesPerFolder)}/file-${at}.ts`
}

async function fill(root: string, text: string, files: number): Promise<void> {
  await writeFile(join(root, '.gitignore'), 'ignored/\n')
  for (let at = 0; at < files; at++) {
    const path = join(root, pathOf(at))
    await mkdir(dirname(path), { recursive: true })
    const from = (at * fileChars) % Math.max(1, text.length - fileChars)
    const word = at === 1_777 ? 'needle_in_the_hay\n' : ''
    await writeFile(path, `// file ${at}\n${word}${text.slice(from, from + fileChars).toWellFormed()}\n`)
  }
}
