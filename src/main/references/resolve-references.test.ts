import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { diskWith, systemError } from '../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { type ToolRig, toolRig } from '../../../tests/fakes/rigs/tool-rig.ts'
import type { ReferenceAnswers } from '../../shared/domain/session/file-reference.ts'
import type { MessageSegment } from '../../shared/domain/session/message-segment.ts'
import { type Disk, nodeDisk } from '../platform/files/disk.ts'
import { limitListed } from '../tools/defining/result-text.ts'
import { chosenEncodings } from './read-reference.ts'
import type { BudgetInput } from './reference-budget.ts'
import { type ResolveInput, resolveReferences } from './resolve-references.ts'

const large: BudgetInput = { contextTokens: null, count: async (text) => text.length, limitBytes: 16_384 }

const noMemory = { get: () => undefined, set: () => undefined }

function inputOf(rig: ToolRig, answers: ReferenceAnswers = {}, budget = large): ResolveInput {
  return {
    encodings: chosenEncodings(noMemory),
    operations: rig.operations,
    images: async () => null,
    openText: (path) => rig.documents.service.openText(join(rig.root, path)),
    isSecret: async (path) => path.endsWith('.env'),
    answers,
    budget: async () => budget,
  }
}

const typed = (text: string): MessageSegment[] => [{ kind: 'text', text }]
const chip = (path: string, range: { from: number; to: number } | null = null): MessageSegment[] => [
  { kind: 'file-ref', path, range },
]

function resolve(rig: ToolRig, message: string | MessageSegment[], answers?: ReferenceAnswers) {
  const segments = typeof message === 'string' ? typed(message) : message
  return resolveReferences(segments, inputOf(rig, answers))
}

type ResolvedMessage = Awaited<ReturnType<typeof resolveReferences>>
const states = ({ files }: ResolvedMessage) => files.map(({ file }) => file.state)
const texts = ({ files }: ResolvedMessage) => files.map(({ file }) => file.text)

describe('a file that a message names', () => {
  it('is attached with its text, once, in the order of first mention', async () => {
    const rig = await toolRig()
    rig.write('a.md', 'one\ntwo\n')
    rig.write('b.md', 'three')
    const found = await resolve(rig, 'compare @b.md with @a.md, and @b.md again')
    expect(texts(found)).toEqual(['[File: b.md]\nthree', '[File: a.md]\none\ntwo\n'])
    expect(found.modelText).toBe('compare @b.md with @a.md, and @b.md again')
    expect(found.files[1]?.file).toMatchObject({ sizeBytes: 8, isCut: false, isUnsaved: false })
    expect(found.files[1]?.known).toMatchObject({ path: 'a.md', from: 1, to: 2 })
  })

  it.each([
    ['@小説/第一章.mdを推敲して。', '小説/第一章.md'],
    ['「@小説/第一章.md」', '小説/第一章.md'],
    ['@"小説/第 二章.md"を', '小説/第 二章.md'],
    ['@小説/塔を直して', '小説/塔'],
    ['@小説/塔。', '小説/塔'],
    ['@設定.confを見て', '設定.conf'],
    ['見て@"設定.conf"を', '設定.conf'],
    ['@a,b/(c).md!', 'a,b/(c).md'],
  ])('is found by the longest name that is there: %s', async (text, path) => {
    const rig = await toolRig()
    for (const name of ['小説/第一章.md', '小説/第 二章.md', '小説/塔', '設定.conf', 'a,b/(c).md'])
      rig.write(name, name)
    const found = await resolve(rig, text)
    expect(texts(found)).toEqual([`[File: ${path}]\n${path}`])
    expect(found.modelText).toBe(text)
  })

  it('is found whatever the composition of its name', async () => {
    const rig = await toolRig()
    rig.write('か\u3099く.md', 'decomposed')
    expect(texts(await resolve(rig, '@がく.mdを'))).toEqual(['[File: がく.md]\ndecomposed'])
  })

  it('is a folder, listed one level deep', async () => {
    const rig = await toolRig()
    for (let at = 0; at < 120; at++) rig.write(`src/f${at}.ts`, '')
    rig.write('src/sub/x.ts', '')
    rig.write('empty/sub/x', '')
    const { files } = await resolve(rig, 'look at @src/ and @empty/')
    const lines = files[0]?.file.text.split('\n') ?? []
    expect(lines.slice(0, 3)).toEqual(['[Dir: src/]', 'sub/', 'f0.ts'])
    expect(lines).toHaveLength(102)
    expect(lines.at(-1)).toBe('[...100 of 121 entries — use list_directory for the rest]')
    expect(files[1]?.file).toMatchObject({ text: '[Dir: empty/]\nsub/', what: 'folder', sizeBytes: null })
  })

  it('is a folder of which not all names are known: their number is not claimed', async () => {
    const rig = await toolRig()
    rig.write('src/a.ts', '')
    const some = Array.from({ length: limitListed }, (_, at) => ({
      name: `f${at}.ts`,
      kind: 'file' as const,
      sizeBytes: null,
    }))
    const input = inputOf(rig)
    const operations = { ...input.operations, list: async () => some }
    const { files } = await resolveReferences(chip('src'), { ...input, operations })
    expect(files[0]?.file.text).toContain('[...100 of 5000+ entries')
  })

  it.each([
    [{ from: 2, to: 3 }, '[File: a.md#L2-3]\ntwo\nthree'],
    [{ from: 3, to: 99 }, '[File: a.md#L3]\nthree'],
    [{ from: 3, to: 2 }, '[File: a.md#L2-3]\ntwo\nthree'],
  ])('gives the lines %j', async (range, text) => {
    const rig = await toolRig()
    rig.write('a.md', 'one\r\ntwo\r\nthree\r\n')
    const found = await resolve(rig, chip('a.md', range))
    expect(texts(found)).toEqual([text])
    expect(found.files[0]?.known?.to).toBe(3)
  })

  it('reads a typed range', async () => {
    const rig = await toolRig()
    rig.write('a.md', 'one\ntwo\nthree\n')
    expect(texts(await resolve(rig, '@a.md#L2を、@a.md#L1-2も'))).toEqual([
      '[File: a.md#L2]\ntwo',
      '[File: a.md#L1-2]\none\ntwo',
    ])
  })

  it('stands behind a link in the folder', async () => {
    const rig = await toolRig()
    rig.write('real/a.md', 'here')
    symlinkSync('real/a.md', join(rig.root, 'link.md'))
    const found = await resolve(rig, '@link.md and @real/a.md')
    expect(texts(found)).toEqual(['[File: link.md]\nhere'])
    expect(found.files[0]?.known?.path).toBe('real/a.md')
  })

  it('gives the unsaved text of an open document, and says so', async () => {
    const rig = await toolRig()
    rig.write('a.md', 'saved\n')
    const window = await rig.documents.watch('a.md')
    await rig.documents.service.edit({ root: rig.root, path: 'a.md' }, { from: 0, insert: 'un' }, 'agent')
    const found = await resolve(rig, '@a.md')
    expect(found.files[0]?.file).toMatchObject({ text: '[File: a.md]\nunsaved\n', isUnsaved: true })
    const again = await resolve(rig, '@a.md')
    expect(again.files[0]?.file).toMatchObject({ text: '[File: a.md]\nunsaved\n', isUnsaved: false })
    await window.stop()
  })
})

describe('a text', () => {
  const text = '一行目の文です。\n針はここだ\n'
  it.each([
    ['UTF-8 with its mark', Buffer.from(`\ufeff${text}`)],
    ['Shift_JIS', iconv.encode(text, 'cp932')],
    ['EUC-JP', iconv.encode(`${text}齟齬、鬱、齎す、魑魅\n`, 'eucjp')],
    ['UTF-16, little end first', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big end first', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('in %s is attached', async (_, bytes) => {
    const rig = await toolRig()
    rig.write('a.txt', bytes)
    const [attached] = texts(await resolve(rig, '@a.txt'))
    expect(attached?.startsWith(`[File: a.txt]\n${text}`)).toBe(true)
  })

  it('that reads as two encodings waits for a choice', async () => {
    const rig = await toolRig()
    rig.write('a.txt', iconv.encode('ああ', 'eucjp'))
    const found = await resolve(rig, 'see @a.txt')
    expect(found.files[0]?.file).toMatchObject({ state: 'encoding', encodings: ['shift_jis', 'euc-jp'] })
    expect(found.modelText).toBe('see [unresolved file ref: a.txt]')
    const chosen = await resolve(rig, 'see @a.txt', { encodings: { 'a.txt': 'euc-jp' } })
    expect(texts(chosen)).toEqual(['[File: a.txt]\nああ'])
  })

  it('that reads as two encodings is read as it was chosen, until its bytes are others', async () => {
    const rig = await toolRig()
    rig.write('a.txt', iconv.encode('ああ', 'eucjp'))
    let kept: unknown = 'what nobody understands'
    // As after a restart, each time.
    const later = (answers: ReferenceAnswers = {}) =>
      resolveReferences(typed('see @a.txt'), {
        ...inputOf(rig, answers),
        encodings: chosenEncodings({
          get: () => JSON.parse(JSON.stringify(kept)),
          set: (value) => {
            kept = value
          },
        }),
      })
    expect(states(await later())).toEqual(['encoding'])
    await later({ encodings: { 'a.txt': 'euc-jp' } })
    expect(texts(await later())).toEqual(['[File: a.txt]\nああ'])
    await later({ encodings: { 'a.txt': 'shift_jis' } })
    expect(texts(await later())).toEqual(['[File: a.txt]\n､｢､｢'])
    rig.write('a.txt', iconv.encode('いい', 'eucjp'))
    expect(states(await later())).toEqual(['encoding'])
    rig.write('b.txt', iconv.encode('ああ', 'eucjp'))
    expect(states(await resolve(rig, '@b.txt'))).toEqual(['encoding'])
    expect(kept).toHaveLength(1)
  })
})

describe('what cannot be attached', () => {
  type Failing = [name: string, path: string, state: string, make: (rig: ToolRig) => void, more?: object]
  const cases: Failing[] = [
    ['a missing file', 'gone.md', 'not-found', () => undefined],
    ['a missing file in a folder', 'src/gone.md', 'not-found', (rig) => rig.write('src/a.md', '')],
    ['a longer ending', 'a.tsx', 'not-found', (rig) => rig.write('a.ts', '')],
    ['a file as a folder', 'a.md/b.md', 'not-found', (rig) => rig.write('a.md', '')],
    ['a name too long', `${'あ'.repeat(300)}.md`, 'not-found', () => undefined],
    ['a path outside', '../x.md', 'out-of-scope', () => undefined],
    ['an absolute path outside', '/etc/hostname', 'out-of-scope', () => undefined],
    ['the home folder', '~/x.md', 'out-of-scope', () => undefined],
    ['a link out', 'out.md', 'out-of-scope', linkOut],
    ['a link to nothing', 'b.md', 'is-broken-link', (rig) => symlinkSync('no.md', join(rig.root, 'b.md'))],
    ['a circle of links', 'x.md', 'is-broken-link', circle],
    ['zero bytes', 'a.bin', 'binary', (rig) => rig.write('a.bin', Buffer.from([65, 0, 66]))],
    ['no encoding at all', 'a.md', 'binary', (rig) => rig.write('a.md', Buffer.from([0xff, 0xfd, 0xa0]))],
    ['half of UTF-16', 'a.md', 'binary', (rig) => rig.write('a.md', Buffer.from([0xff, 0xfe, 0x00]))],
    ['a pipe', 'pipe', 'io', pipe, { trouble: 'not-regular' }],
  ]

  it.each(cases)('%s is %s: %s', async (_, path, state, make, more = {}) => {
    const rig = await toolRig()
    make(rig)
    const found = await resolve(rig, [...typed('see '), ...chip(path)])
    expect(found.files.map(({ file }) => file)).toMatchObject([{ path, state, text: '', ...more }])
    expect(found.modelText).toBe(`see [unresolved file ref: ${path}]`)
  })

  it.each([
    [{ from: 3, to: 5 }, '#L3-5'],
    [{ from: 9, to: 9 }, '#L9'],
  ])('lines that are not there (%j)', async (range, suffix) => {
    const rig = await toolRig()
    rig.write('a.md', 'one\ntwo\n')
    const found = await resolve(rig, chip('a.md', range))
    expect(states(found)).toEqual(['out-of-range'])
    expect(found.modelText).toBe(`[unresolved file ref: a.md${suffix}]`)
  })

  it('a device', async () => {
    const rig = await toolRig({
      wrap: (real) => ({
        ...real,
        locate: async (path) => ({ path, kind: 'other', sizeBytes: null, isLink: false, missing: [] }),
        read: (): Promise<never> => Promise.reject(new Error('it was opened')),
      }),
    })
    const found = await resolve(rig, '@dev/tty.log')
    expect(found.files[0]?.file).toMatchObject({ state: 'io', trouble: 'not-regular' })
  })

  const denied: [name: string, disk: Partial<Disk>][] = [
    ['its file', { readPlain: () => Promise.reject(systemError('EACCES')) }],
    [
      'its folder',
      {
        lstat: (path) =>
          path.endsWith('a.md') ? Promise.reject(systemError('EACCES')) : nodeDisk.lstat(path),
      },
    ],
  ]
  it.each(denied)('what the system does not let us read: %s', async (_, disk) => {
    const rig = await toolRig({ disk: diskWith(disk) })
    rig.write('a.md', 'closed')
    const found = await resolve(rig, '@a.md')
    expect(found.files[0]?.file).toMatchObject({ state: 'io', trouble: 'denied' })
  })

  it('what vanishes between looking and reading', async () => {
    const rig = await toolRig({
      wrap: (real) => ({
        ...real,
        read: (path, limit) => {
          execFileSync('rm', ['-f', join(rig.root, path)])
          return real.read(path, limit)
        },
      }),
    })
    rig.write('a.md', 'soon gone')
    expect(states(await resolve(rig, '@a.md'))).toEqual(['not-found'])
  })

  it.each(['@param x', 'ada@example.com', '@app.route("/")', '@Component({})', 'an @ alone'])(
    'is not what %s looks like',
    async (text) => {
      const rig = await toolRig()
      const found = await resolve(rig, text)
      expect(found).toEqual({ files: [], modelText: text })
    },
  )

  it('stays apart from what can', async () => {
    const rig = await toolRig()
    rig.write('a.md', 'one')
    const found = await resolve(rig, '@gone.mdと、@a.mdと、@gone.md。')
    expect(states(found)).toEqual(['not-found', 'ok'])
    expect(found.modelText).toBe('@gone.mdと、@a.mdと、@gone.md。')
  })

  it.each(['install @types/node first', 'see @user/repo', 'since @2024/05/01', '@"no such.md"'])(
    'reaches the model as it was typed where it names nothing: %s',
    async (text) => {
      const rig = await toolRig()
      for (const path of ['src/a.ts', 'types/global.d.ts', 'user/a.ts']) rig.write(path, 'one')
      const found = await resolve(rig, text)
      expect(states(found)).toEqual(['not-found'])
      expect(found.modelText).toBe(text)
    },
  )

  it('is named as failed to the model only where it was chosen from the list', async () => {
    const rig = await toolRig()
    rig.write('src/a.ts', 'one')
    const typedOne = await resolve(rig, 'see @src/gone.ts')
    expect(states(typedOne)).toEqual(['not-found'])
    expect(typedOne.modelText).toBe('see @src/gone.ts')
    const chosen = await resolve(rig, [...typed('see '), ...chip('types/node')])
    expect(chosen.modelText).toBe('see [unresolved file ref: types/node]')
  })
})

describe('a secret', () => {
  it('is asked about before anything is read, with all others at once', async () => {
    const rig = await toolRig({
      wrap: (real) => ({ ...real, read: (): Promise<never> => Promise.reject(new Error('read')) }),
    })
    rig.write('.env', 'KEY=1')
    rig.write('x/b.env', 'KEY=2')
    symlinkSync('.env', join(rig.root, 'harmless.md'))
    const asked = resolve(rig, '@.env @x/b.env @harmless.md @gone.env')
    await expect(asked).rejects.toMatchObject({
      info: { code: 'reference/secret', paths: ['.env', 'x/b.env', 'harmless.md'] },
    })
  })

  it('goes where it was allowed and is refused where not', async () => {
    const rig = await toolRig()
    rig.write('.env', 'KEY=1')
    rig.write('b.env', 'KEY=2')
    const found = await resolve(rig, '@.env @b.env', { allowSecrets: ['.env'] })
    expect(states(found)).toEqual(['ok', 'refused'])
    expect(found.modelText).toBe('@.env [unresolved file ref: b.env]')
  })
})

function linkOut(rig: ToolRig): void {
  const outside = tempFolder()
  writeFileSync(join(outside, 'x.md'), 'outside')
  symlinkSync(join(outside, 'x.md'), join(rig.root, 'out.md'))
}

function circle(rig: ToolRig): void {
  symlinkSync('y.md', join(rig.root, 'x.md'))
  symlinkSync('x.md', join(rig.root, 'y.md'))
}

function pipe(rig: ToolRig): void {
  mkdirSync(rig.root, { recursive: true })
  execFileSync('mkfifo', [join(rig.root, 'pipe')])
}
