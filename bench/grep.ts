/** Searching a project by the tools' way, beside ripgrep alone. */
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import iconv from 'iconv-lite'
import { nodeDisk } from '../src/main/platform/files/disk.ts'
import type { GrepQuery } from '../src/main/tools/tool-operations.ts'
import { ripgrepPath } from '../src/main/workspace/search/ripgrep-path.ts'
import { createWorkspaceSearch } from '../src/main/workspace/search/workspace-search.ts'
import { temporaryFolder } from './model-files.ts'
import { type Prose, readProse } from './prose.ts'
import { type BenchOptions, type Comparison, comparisonTable, type Report } from './report.ts'
import { median, timed } from './timing.ts'

const rgPath = ripgrepPath()
const never = new AbortController().signal
const fileChars = 4_000
const limit = 500

type Case = { measure: string; query: Partial<GrepQuery> & { pattern: string }; plain: string[] }

const cases: Case[] = [
  { measure: 'one word in one file', query: { pattern: 'needle_in_the_hay' }, plain: ['needle_in_the_hay'] },
  { measure: 'nothing', query: { pattern: 'nowhere_at_all' }, plain: ['nowhere_at_all'] },
  {
    measure: `a line of each file, the first ${limit} kept`,
    query: { pattern: '^// file' },
    plain: ['^// file'],
  },
  { measure: 'Japanese, in four encodings', query: { pattern: '針はここだ' }, plain: ['針はここだ'] },
  { measure: 'a regular expression', query: { pattern: 'need[a-z]+_in' }, plain: ['need[a-z]+_in'] },
  { measure: 'one folder', query: { pattern: 'needle_in', path: 'src/7' }, plain: ['needle_in', 'src/7'] },
  {
    measure: 'names by a glob',
    query: { pattern: 'needle_in', glob: '*.md' },
    plain: ['needle_in', '-g', '*.md'],
  },
]

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const prose = await readProse()
  const files = isQuick ? 1_000 : 10_000
  const times = isQuick ? 5 : 15
  const root = temporaryFolder()
  await fill(root, prose, files)
  const search = createWorkspaceSearch({ disk: nodeDisk, root, timeoutMs: 60_000 })
  const greps: Comparison[] = []
  for (const { measure, query, plain } of cases) {
    const whole: GrepQuery = {
      ...{ isLiteral: false, ignoreCase: false, path: '.', glob: null, contextLines: 0, limit },
      ...query,
    }
    greps.push(
      await compare(measure, times, () => search.grep(whole, never), ['-n', ...withPath(plain)], root),
    )
  }
  const names = [
    await compare('all names', times, () => search.glob('**', 1_000, never), ['--files', '.'], root),
    await compare(
      '*.md',
      times,
      () => search.glob('*.md', 1_000, never),
      ['--files', '-g', '*.md', '.'],
      root,
    ),
    await compare(
      'src/7/**/*.ts',
      times,
      () => search.glob('src/7/**/*.ts', 1_000, never),
      ['--files', 'src/7'],
      root,
    ),
  ]
  return {
    title: 'Searching a project',
    about: [
      `${files.toLocaleString('en')} files of about ${fileChars.toLocaleString('en')} characters in folders of 100, a tenth of them ignored; text: ${prose.source}. Ours runs in the host: paths checked, lines decoded and put in order, at most ${limit} kept. The baseline is the same program with the same pattern, its output read and dropped. In turns, the middle of ${times}.`,
    ],
    tables: [
      comparisonTable('Contents', 'plain ripgrep', greps),
      comparisonTable('Names', 'plain ripgrep', names),
    ],
  }
}

/** Ripgrep waits for its standard input where no place is named. */
function withPath(args: readonly string[]): string[] {
  return args.includes('src/7') ? [...args] : [...args, '.']
}

async function compare(
  measure: string,
  times: number,
  ours: () => Promise<unknown>,
  args: readonly string[],
  root: string,
): Promise<Comparison> {
  const oursMs: number[] = []
  const plainMs: number[] = []
  for (let i = 0; i < times; i++) {
    oursMs.push((await timed(ours)).ms)
    plainMs.push((await timed(() => plainRipgrep(args, root))).ms)
  }
  return { measure, unit: 'ms', value: median(oursMs), baseline: median(plainMs) }
}

async function plainRipgrep(args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(rgPath, ['--no-config', ...args], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.resume()
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed)
    child.once('close', done)
  })
  // 1: nothing found.
  if (code !== 0 && code !== 1) throw new Error(`ripgrep ended with ${code}`)
}

async function fill(root: string, { text }: Prose, files: number): Promise<void> {
  await writeFile(join(root, '.gitignore'), 'ignored/\n')
  const special: Record<number, Buffer> = {
    700: Buffer.from('a needle_in_the_hay\n針はここだ\n'),
    701: iconv.encode('一行目の文です。\n針はここだ\n', 'Shift_JIS'),
    702: iconv.encode('一行目の文です。\n針はここだ\n', 'EUC-JP'),
    703: Buffer.from('\ufeff針はここだ\n', 'utf16le'),
  }
  for (let at = 0; at < files; at++) {
    const folder = at % 10 === 9 ? 'ignored' : 'src'
    const path = join(root, folder, String(Math.floor(at / 100)), `file-${at}.${at % 5 === 0 ? 'md' : 'ts'}`)
    await mkdir(dirname(path), { recursive: true })
    const from = (at * fileChars) % Math.max(1, text.length - fileChars)
    const body = `// file ${at}\n${text.slice(from, from + fileChars).toWellFormed()}\n`
    await writeFile(path, special[at] ?? body)
  }
}
