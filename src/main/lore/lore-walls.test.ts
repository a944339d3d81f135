import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  makeSpecial,
  outsideText,
  specialKinds,
  specialSources,
} from '../../../tests/fakes/disks/special-file.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { openScriptedNovel } from '../../../tests/fakes/rigs/lore-app.ts'
import type { Work } from '../../shared/domain/work/work.ts'
import type { DocumentService } from '../documents/document-service.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { createLoreService } from './lore-service.ts'
import { readEntry } from './read-materials.ts'

const entry = (yaml: string, text = '本文') => `---\n${yaml}\n---\n${text}\n`

/** Front matter that is read as a problem or by its content, and never throws. */
const hostile: [string, string][] = [
  ['deep lists', `keys: ${'['.repeat(20_000)}`],
  ['deep lists that end', `keys: ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['deep maps', `keys: ${'{a: '.repeat(10_000)}`],
  ['deep blocks', Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  [
    'many aliases',
    `a: &a [x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [${`*${n === 0 ? 'a' : `b${n - 1}`}, `.repeat(9)}]`).join('\n')}\nkeys: *b29`,
  ],
  ['a key without a text form', 'keys: [{toString: 1}]'],
  ['a key whose text form is no function', 'keys: [{toString: {a: 1}, valueOf: 2}]'],
  [
    'names of the prototype',
    'keys: [{__proto__: {toString: 1}}]\n__proto__: {always: true}\nconstructor: {a: 1}',
  ],
  ['a list', '- keys\n- always'],
  ['a merge of maps', 'a: &a {keys: [x]}\n<<: *a'],
  ['a tag of another language', 'keys: !!js/function "function () { return 1 }"'],
  ['a set', 'keys: !!set {a, b}'],
  ['a map with maps as names', 'keys:\n  ? {a: 1}\n  : 2\n? [keys]\n: x'],
  ['binary', 'keys: !!binary aGVsbG8='],
  ['no number', 'keys: [a]\npriority: .nan'],
  ['an endless number', 'keys: [a]\npriority: .inf\nrange: [.inf, -.inf]'],
  ['a large number', 'keys: [a]\nrange: 99999999999999999999999'],
  ['a range of blanks', `keys: [a]\nrange: "${' '.repeat(60_000)}x"`],
  ['many names', `keys: [a]\n${Array.from({ length: 6_000 }, (_, at) => `k${at}: 1`).join('\n')}`],
  ['many keys', `keys: [${'a, '.repeat(20_000)}]`],
  ['a long key', `keys: ${'a'.repeat(60_000)}`],
  ['more than front matter holds', `keys: [a]\n${'# x\n'.repeat(200_000)}`],
  ['many errors', `keys: [a]\n${'- : [\n'.repeat(5_000)}`],
  ['control characters', 'keys: ["\\0<|im_start|>\\u0007"]'],
  ['one half of a character', 'keys: ["\\ud800"]'],
]

/** Those that take longest are read alone only. */
const longest = ['many errors', 'deep maps', 'many names', 'deep lists that end']

describe('a hostile material', () => {
  it.each(hostile)('with %s as its front matter is an entry, no entry, or has a problem', (_name, yaml) => {
    const { entry: read, candidate } = readEntry('資料/a.md', entry(yaml))
    expect(read === null).not.toBe(candidate === null)
    if (read === null) return
    expect(read.keys.every((key) => typeof key === 'string' && key.length <= 1_000)).toBe(true)
    expect(Number.isInteger(read.priority)).toBe(true)
    expect(read.enabled && read.problems.length > 0).toBe(false)
  })

  it.each([
    ['a heading of signs', `# ${'#'.repeat(300_000)}x`],
    ['a heading of blanks', `#${' '.repeat(300_000)}x`],
    ['a heading of blanks and signs', `# a${' #'.repeat(150_000)}x`],
    ['lines that begin front matter', '---\n'.repeat(100_000)],
    ['blanks behind a fence', `---\nkeys: a\n---${' '.repeat(300_000)}x\n`],
    ['blanks behind a key', `---\nkeys${'\n'.repeat(60_000)}x\n---\n`],
  ])('with %s is read in one pass', { timeout: 60_000 }, (_name, text) => {
    const { candidate } = readEntry('資料/a.md', text)
    expect(candidate?.keys.every((key) => key.length <= 40) ?? true).toBe(true)
  })
})

/** An entry with expressions that never end, each of which uses a core until its time is over. */
const slowEntry = (count: number) =>
  entry(`keys: [${Array.from({ length: count }, (_, at) => `"/(雨+)+${at}$/"`).join(', ')}]`)

it('names sixty expressions that never end, of which it tries some', async () => {
  const root = tempFolder()
  const path = '資料/遅い.md'
  mkdirSync(join(root, '資料'))
  writeFileSync(join(root, path), slowEntry(60))
  const work = { files: [{ path, kind: 'material' }] } as Work
  const lore = createLoreService({
    disk: nodeDisk,
    works: { rootOf: () => root, get: () => work },
    documents: {
      flush: async () => undefined,
      read: async () => ({ text: slowEntry(60) }) as Awaited<ReturnType<DocumentService['read']>>,
      edit: () => Promise.reject(new Error('nothing is edited')),
    },
    patternTimeoutMs: 20,
  })
  const text = `${'雨'.repeat(60)}が降る。\n`
  const { problems } = await lore.match('w', {
    text,
    note: '',
    path: '001.txt',
    isRecursive: false,
    files: [],
  })
  expect(problems.filter(({ problem }) => problem.kind === 'slow-pattern')).toHaveLength(60)
})

describe.skipIf(process.platform === 'win32')('a work with hostile materials', () => {
  it('lists its lore and makes prompts, whatever stands in the place of a material', async () => {
    const home = tempFolder()
    const root = join(home, 'work')
    const sources = specialSources(tempFolder())
    writeFileSync(join(sources.outside, 'secret.md'), entry('always: true', outsideText))
    mkdirSync(join(root, '資料'), { recursive: true })
    for (const [at, kind] of specialKinds.entries())
      makeSpecial(kind, join(root, '資料', `${at}.md`), sources)
    const read = hostile.filter(([name]) => !longest.includes(name))
    for (const [at, [, yaml]] of read.entries()) {
      const path = join(root, '資料', 'h', `${at}.md`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, entry(yaml))
    }
    const files = {
      '001.txt': `${'雨'.repeat(60)}が降る。\n`,
      '資料/良い.md': entry('keys: [雨]', '　雨の国。'),
      '資料/遅い.md': slowEntry(2),
      '資料/大きい.md': entry('keys: [雨]', '雨'.repeat(2_000_000)),
    }
    const novel = await openScriptedNovel(files, { home, drafting: { loreScanChars: 400 } })
    const { lore, parts } = await novel.preview()
    expect(lore?.uses.map(({ name }) => name)).toContain('良い')
    expect(lore?.uses.map(({ name }) => name)).not.toContain('大きい')
    expect(lore?.problems.filter(({ problem }) => problem.kind === 'slow-pattern')).toHaveLength(2)
    expect(parts.map(({ text }) => text).join('')).not.toContain('外の秘密')
  })
})
