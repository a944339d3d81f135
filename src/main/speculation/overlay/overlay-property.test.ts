/** Whatever is done to an overlay looks as if it had been done to the folder. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { overlayRig, realFolder, workedOut } from '../../../../tests/fakes/rigs/overlay-rig.ts'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { GrepQuery, ToolOperations } from '../../tools/tool-operations.ts'

/** `TSUGI_SOAK` plays the long series, `TSUGI_SEED` one of its sequences. */
const seeds =
  process.env.TSUGI_SEED === undefined
    ? Array.from({ length: process.env.TSUGI_SOAK === undefined ? 1 : 300 }, (_, index) => index)
    : [Number(process.env.TSUGI_SEED)]

const folders = [
  '.',
  'src',
  'src/deep',
  '章',
  'docs',
  'build',
  '.github',
  '.hidden',
  'a.txt',
  '..dots',
  'x{y,z}',
]
const names = [
  'a.txt',
  'A.txt',
  'b.ts',
  'b.log',
  'が.md',
  'が.md'.normalize('NFD'),
  'ＡＢ.txt',
  '..foo.txt',
  '.env',
  'file-2.txt',
  'file-10.txt',
  'docs',
]
const ignoreFiles = [
  '.gitignore',
  '.ignore',
  '.rgignore',
  'src/.gitignore',
  'src/deep/.ignore',
  '.git/info/exclude',
]
/** What they leave out is never written: a run stops before it writes an ignore file, and finds all that it wrote. */
const ignoreLines = ['*.skip', '/skip/', 'skip/', '!keep.skip', 'src/deep/*.skip', '**/skip.md', '# note', '']
const ignoredNames = ['a.skip', 'keep.skip', 'skip.md', 'skip/a.txt']
const links: [string, string][] = [
  ['link.txt', 'src/a.txt'],
  ['src/up', '..'],
  ['ldir', 'src'],
  ['broken', 'nowhere'],
  ['loop', 'loop'],
  ['out', '/'],
]
const contents: (string | Uint8Array)[] = [
  'needle\n',
  'one\r\nneedle two\r\n',
  '針はここだ\nneedle\n',
  iconv.encode('一行目\n針はここだ\n', 'Shift_JIS'),
  iconv.encode('針はここだ\n', 'EUC-JP'),
  Buffer.from('\ufeff針はここだ\nneedle\n', 'utf16le'),
  '\ufeffneedle with a mark\n',
  `${'x'.repeat(600)}needle${'y'.repeat(600)}`,
  'before\nneedle\nafter\nneedle again\n',
  '',
  Buffer.from([0, 1, 2, 110, 101]),
]
const globs = [
  '**',
  '*.txt',
  'src/**',
  'src/*.ts',
  '**/*.{md,log}',
  '.gitignore',
  '章/*',
  '{src,docs}/**/a.txt',
  'ldir/*',
  '**/が.md',
  '.env',
  'docs',
  './src/deep/../a',
  'x\\{y,z\\}/*',
]
const queries: Partial<GrepQuery>[] = [
  { pattern: 'needle' },
  { pattern: '針は', isLiteral: true, contextLines: 1 },
  { pattern: 'NEEDLE', ignoreCase: true, path: 'src' },
  { pattern: 'needle', glob: '*.txt' },
  { pattern: 'needle', glob: '**/*.log', path: 'src/deep' },
  { pattern: 'needle', path: 'ldir' },
  { pattern: 'needle', path: 'a.txt' },
  { pattern: '.', path: '.gitignore' },
  { pattern: 'needle', path: 'docs' },
  { pattern: 'needle', path: '.hidden' },
  { pattern: '[', path: 'src/deep' },
]

type Pick1 = <T>(from: readonly T[]) => T
type Step = Parameters<typeof workedOut>[1]
const never = new AbortController().signal

function picker(next: () => number): Pick1 {
  return (from) => {
    const one = from[Math.floor(next() * from.length)]
    if (one === undefined) throw new Error('nothing to pick from')
    return one
  }
}

function fill(roots: readonly string[], pick: Pick1, next: () => number): void {
  const put = (path: string, content: string | Uint8Array): void => {
    for (const root of roots) {
      try {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), content)
      } catch (error) {
        // A file is in the way: this tree goes without.
        expect((error as NodeJS.ErrnoException).code).toMatch(/EEXIST|ENOTDIR|EISDIR/)
      }
    }
  }
  for (let count = 0; count < 14; count++) put(`${pick(folders)}/${pick(names)}`, pick(contents))
  for (let count = 0; count < 5; count++) put(`${pick(folders)}/${pick(ignoredNames)}`, pick(contents))
  // A link is never mended from an overlay: what it leads to is there at first.
  put('src/a.txt', 'needle linked\n')
  for (let count = 0; count < 3; count++) {
    if (next() < 0.7) put(pick(ignoreFiles), [pick(ignoreLines), pick(ignoreLines)].join('\n'))
  }
  for (const [path, target] of links) {
    for (const root of roots) {
      mkdirSync(join(root, 'src'), { recursive: true })
      symlinkSync(target, join(root, path))
    }
  }
}

function randomStep(pick: Pick1, next: () => number): Step {
  const anyPath = (): string => {
    const chance = next()
    if (chance < 0.1) return pick(links)[0]
    if (chance < 0.15) return `link.txt/${pick(names)}`
    return `${pick(folders)}/${pick(names)}`
  }
  const chance = next()
  if (chance < 0.3) return { remove: anyPath() }
  if (chance < 0.5) return { move: anyPath(), to: anyPath() }
  return { write: anyPath(), content: pick(contents) }
}

/** Returns the normalized result of `work`, or the code of its error. */
async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return normalized(await work())
  } catch (error) {
    if (!isAppError(error)) throw error
    return error.info.code
  }
}

/** Normalizes the spelling of names, because a file created anew in an overlay keeps the spelling of the old one. */
function normalized(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value).normalize('NFC'))
}

async function look(operations: ToolOperations, pick: Pick1): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {}
  const some = Array.from({ length: 30 }, () => `${pick(folders)}/${pick(names)}`)
  const special = [...ignoreFiles, ...links.map(([path]) => path), 'link.txt/a.txt', 'ldir/deep/a.txt']
  for (const path of [...folders, ...some, ...special]) {
    seen[`locate ${path}`] = await outcome(() => operations.locate(path))
    seen[`read ${path}`] = await outcome(async () => {
      const { bytes, ...rest } = await operations.read(path, 1_000)
      return { ...rest, text: Buffer.from(bytes).toString('base64') }
    })
  }
  for (const folder of [...folders, 'ldir', 'src/up', 'out', 'broken']) {
    seen[`list ${folder}`] = await outcome(() => operations.list(folder))
  }
  return seen
}

async function searched(operations: ToolOperations, pick: Pick1): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {}
  for (const pattern of new Set([pick(globs), pick(globs), pick(globs), '**'])) {
    seen[`glob ${pattern}`] = await outcome(() => operations.glob(pattern, 1_000, never))
  }
  seen['glob cut'] = await outcome(() => operations.glob('**', 3, never))
  for (const query of new Set([pick(queries), pick(queries), pick(queries)])) {
    const whole: GrepQuery = {
      pattern: '',
      isLiteral: false,
      ignoreCase: false,
      path: '.',
      glob: null,
      contextLines: 0,
      limit: 1_000,
      ...query,
    }
    seen[`grep ${JSON.stringify(query)}`] = await outcome(() => operations.grep(whole, never))
    seen[`grep cut ${JSON.stringify(query)}`] = await outcome(async () => {
      const { matches, isCut } = await operations.grep({ ...whole, limit: 2 }, never)
      return { isCut, hits: matches.filter(({ isContext }) => !isContext).length }
    })
  }
  return seen
}

describe('an overlay beside a folder with the same changes', () => {
  it.each(seeds)('is the same to all operations, whatever was changed: %i', async (seed) => {
    const next = seededRandom(seed + 1)
    const pick = picker(next)
    const rig = overlayRig()
    const realRoot = tempFolder()
    fill([rig.root, realRoot], pick, next)
    const real = realFolder(realRoot)
    let overlay = await rig.open()
    const done: string[] = []
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 4; count++) {
        const step = randomStep(pick, next)
        const change = async (operations: ToolOperations) =>
          outcome(async () => {
            await operations.apply([await workedOut(operations, step)], '')
            return 'done'
          })
        const wanted = await change(real)
        const what = 'content' in step ? { write: step.write } : step
        done.push(`${JSON.stringify(what)} ${String(wanted)}`)
        expect(await change(overlay.operations), done.join('\n')).toBe(wanted)
      }
      // A layer on top is the same folder.
      if (next() < 0.2) overlay = await overlay.stack()
      const viewSeed = Math.floor(next() * 1e9)
      for (const see of [look, searched]) {
        const [ours, wanted] = [overlay.operations, real].map((operations) => {
          return see(operations, picker(seededRandom(viewSeed)))
        })
        expect(await ours, done.join('\n')).toEqual(await wanted)
      }
    }
    await overlay.discard()
  })
})
