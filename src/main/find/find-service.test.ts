import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentRig } from '../../../tests/fakes/rigs/document-rig.ts'
import { ChosenReplacement, type FindQuery, type FindResult } from '../../shared/domain/work/find.ts'
import { AppError } from '../../shared/errors.ts'
import { findPattern } from '../platform/files/find-pattern.ts'
import { systemRandom } from '../platform/random.ts'
import { createFindService } from './find-service.ts'

const query: FindQuery = {
  text: '雨',
  isRegex: false,
  isCaseSensitive: false,
  foldsWidth: true,
  foldsKana: false,
}

function rig(texts: Record<string, string>) {
  const { root, service: documents, write, watch } = documentRig()
  for (const [path, text] of Object.entries(texts)) write(path, text)
  const files = Object.keys(texts).map((path, order) => ({
    path,
    order,
    kind: path.endsWith('.md') ? ('material' as const) : ('manuscript' as const),
  }))
  const works = {
    rootOf: () => root,
    manuscripts: () => files.filter(({ kind }) => kind === 'manuscript'),
    get: () => ({ files }),
  }
  const service = createFindService({ random: systemRandom, works, documents })
  const find = (wanted: Partial<FindQuery>, replacement = '') =>
    service.find('w', { ...query, ...wanted }, replacement)
  const textOf = async (path: string) => (await documents.read({ root, path })).text
  return { root, documents, write, watch, service, find, textOf }
}

const chosenOf = ({ chapters }: FindResult) =>
  chapters.map(({ path, hash, hits }) => ({
    path,
    hash,
    edits: hits.map(({ from, to, insert }) => ({ from, to, insert })),
  }))
const code = (error: unknown) => (error instanceof AppError ? error.info.code : error)

describe('finding in a work', () => {
  it('gives hits by chapter with their lines', async () => {
    const { find } = rig({ 'a.txt': '晴れ\n雨と雨\n', 'b.txt': '晴れ', 'c.txt': '雨' })
    const result = await find({}, '雪')
    expect(result).toMatchObject({ total: 3, isTruncated: false })
    expect(result.chapters.map(({ path }) => path)).toEqual(['a.txt', 'c.txt'])
    expect(result.chapters[0]?.hits).toEqual([
      { from: 3, to: 4, line: 2, before: '', match: '雨', after: 'と雨', insert: '雪' },
      { from: 5, to: 6, line: 2, before: '雨と', match: '雨', after: '', insert: '雪' },
    ])
  })

  it('names a chapter that cannot be read, and finds in the others', async () => {
    const { root, find } = rig({ 'a.txt': '雨', 'b.txt': '雨', 'c.txt': '雨' })
    rmSync(join(root, 'b.txt'))
    for (const isRegex of [false, true]) {
      const { chapters, unread } = await find({ isRegex })
      expect([chapters.map(({ path }) => path), unread]).toEqual([['a.txt', 'c.txt'], ['b.txt']])
    }
  })

  it.each([false, true])('tells no more than an answer holds, by an expression: %s', async (isRegex) => {
    const { find } = rig({ 'a.txt': '雨'.repeat(5_000) })
    const result = await find({ isRegex }, 'x'.repeat(100_000))
    expect(result).toMatchObject({ total: 200, isTruncated: true })
  })

  it('fills groups in for a regular expression', async () => {
    const { find } = rig({ 'a.txt': '第1話 雨\n第12話 雪' })
    const { chapters } = await find({ text: '^第(?<n>\\d+)話 (.)', isRegex: true }, '$<n>「$2」$$$&$9')
    expect(chapters[0]?.hits.map(({ insert }) => insert)).toEqual([
      '1「雨」$第1話 雨$9',
      '12「雪」$第12話 雪$9',
    ])
  })

  it('says what is wrong with an expression', async () => {
    const { find } = rig({ 'a.txt': 'a' })
    expect(await find({ text: '(', isRegex: true }).catch(code)).toBe('find/bad-pattern')
  })

  it('ends an expression that does not end by itself', async () => {
    const pattern = { source: '(a+)+$', isCaseSensitive: true, replacement: '' }
    const failed = await findPattern([`${'a'.repeat(60)}b`], pattern, 10, 200).catch(code)
    expect(failed).toBe('find/too-slow')
  })
})

describe('replacing in a work', () => {
  it('changes the chosen places, keeps a version of each file, and is taken back at once', async () => {
    const { find, service, textOf, watch, documents } = rig({ 'a.txt': '雨と雨', 'b.txt': '雨' })
    const open = await watch('a.txt')
    const result = await find({}, '大雪')
    const chosen = chosenOf(result)
    chosen[0]?.edits.shift()
    const { replaceId, ...figures } = await service.replace('w', chosen)
    expect(figures).toEqual({ count: 2, files: 2, changed: [], failed: [] })
    expect([await textOf('a.txt'), await textOf('b.txt')]).toEqual(['雨と大雪', '大雪'])
    const { documentId } = open.snapshot
    const kept = documents.history(documentId).map(({ id }) => documents.readHistory(documentId, id))
    expect(kept).toContain('雨と雨')
    const steps = open.events.filter((event) => event.kind === 'changed')
    expect(steps).toMatchObject([{ changes: [{ origin: 'replace', clientId: 'host' }] }])

    expect(await service.undo('w', replaceId)).toEqual({ files: 2, changed: [], failed: [] })
    expect([await textOf('a.txt'), await textOf('b.txt')]).toEqual(['雨と雨', '雨'])
    expect(await service.undo('w', replaceId).catch(code)).toBe('find/no-undo')
  })

  it('leaves a file alone that was changed after it was looked through', async () => {
    const { root, find, service, textOf, documents } = rig({ 'a.txt': '雨', 'b.txt': '雨' })
    const chosen = chosenOf(await find({}, '雪'))
    await documents.edit({ root, path: 'b.txt' }, { from: 0, insert: '大' }, 'agent')
    expect(await service.replace('w', chosen)).toMatchObject({ count: 1, files: 1, changed: ['b.txt'] })
    expect(await textOf('b.txt')).toBe('大雨')
  })

  it('is taken back around what was written after it, and says where that cannot be', async () => {
    const { root, find, service, textOf, documents } = rig({ 'a.txt': '雨\n\n終わり', 'b.txt': '雨' })
    const { replaceId } = await service.replace('w', chosenOf(await find({}, '雪')))
    await documents.edit({ root, path: 'a.txt' }, { from: 3, to: 6, insert: '続く' }, 'agent')
    await documents.edit({ root, path: 'b.txt' }, { from: 0, insert: '大' }, 'agent')
    expect(await service.undo('w', replaceId)).toEqual({ files: 1, changed: ['b.txt'], failed: [] })
    expect([await textOf('a.txt'), await textOf('b.txt')]).toEqual(['雨\n\n続く', '大雪'])
  })

  it('replaces the rest where a file cannot be written, says why, and takes back the rest', async () => {
    const { root, find, service, textOf } = rig({ 'a.txt': '雨', 'b.txt': '雨', 'c.txt': '雨' })
    const chosen = chosenOf(await find({}, '雪'))
    rmSync(join(root, 'b.txt'))
    const { replaceId, ...figures } = await service.replace('w', chosen)
    expect(figures).toMatchObject({ count: 2, files: 2, changed: [], failed: [{ code: 'file/not-found' }] })
    expect([await textOf('a.txt'), await textOf('c.txt')]).toEqual(['雪', '雪'])
    expect(await service.replace('w', chosen.slice(1, 2)).catch(code)).toBe('file/not-found')
    expect(await service.undo('w', replaceId)).toEqual({ files: 2, changed: [], failed: [] })
    expect([await textOf('a.txt'), await textOf('c.txt')]).toEqual(['雨', '雨'])
  })

  it('of ten thousand places gives exactly the text that replaceAll gives', async () => {
    const texts = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`${index}.txt`, '雨が降る。\n'.repeat(500)]),
    )
    const { root, find, service, documents } = rig(texts)
    const result = await find({}, '雪')
    expect(result.total).toBe(10_000)
    expect(await service.replace('w', chosenOf(result))).toMatchObject({ count: 10_000, files: 20 })
    await documents.saveAll()
    expect(readFileSync(join(root, '19.txt'), 'utf8')).toBe('雪が降る。\n'.repeat(500))
  })
})

describe('asking a work', () => {
  it('answers with the likeliest lines of chapters and materials, and what stands around them', async () => {
    const { service } = rig({
      '1.txt': '雨の朝だった。\n鍵は古い時計の裏に隠した。\n誰も見ていない。\n',
      '2.txt': '彼女は駅へ向かった。\n切符を二枚買った。\n',
      '人物メモ.md': '# 綾瀬\n\n時計職人の娘。\n',
    })
    const { quotations, unread } = await service.ask('w', '鍵をどこに隠したか')
    expect(unread).toEqual([])
    expect(quotations[0]).toEqual({
      path: '1.txt',
      line: 2,
      from: 8,
      to: 21,
      before: '雨の朝だった。',
      text: '鍵は古い時計の裏に隠した。',
      after: '誰も見ていない。',
      matches: [
        { from: 0, to: 1 },
        { from: 9, to: 11 },
      ],
    })
    const materials = await service.ask('w', '職人の子供は誰?')
    expect(materials.quotations[0]).toMatchObject({ path: '人物メモ.md', text: '時計職人の娘。' })
  })

  it('shows the scene of a line, one quotation for each scene', async () => {
    const scene = (words: string, answer: string) =>
      `${words}\n${'　二人は黙っていた。\n'.repeat(5)}${answer}\n${'　風が吹いた。\n'.repeat(20)}`
    const { service } = rig({
      '1.txt':
        scene('　鍵を隠した晩のことだ。', '「古い時計の裏さ」') + scene('　鍵は鍵である。', '「それだけだ」'),
    })
    const { quotations } = await service.ask('w', '鍵をどこに隠したか')
    expect(quotations.map(({ line }) => line)).toEqual([1, 28])
    expect(quotations[0]?.after).toContain('「古い時計の裏さ」')
  })

  it('prefers the scene that has most words of the question to a line that repeats one', async () => {
    const filler = '　風が吹いた。\n'.repeat(40)
    const { service } = rig({
      '1.txt': `　燈台、燈台、燈台。\n${filler}　船長は朝から燈台にいた。\n　猫が鳴いた。\n　地図は破れていた。\n${filler}`,
    })
    const { quotations } = await service.ask('w', '船長が燈台で地図を見たのはいつか')
    expect(quotations[0]?.line).toBe(42)
  })

  it('takes a name on every page as common, however few lines have it', async () => {
    const page = `　綾瀬は黙っていた。\n${'　風が吹いた。\n'.repeat(200)}`
    const coin = '　銀貨が落ちた。\n'.repeat(20)
    const { service } = rig({ '1.txt': `${page}${page}${coin}${page}${page}` })
    const { quotations } = await service.ask('w', '綾瀬の銀貨はどうなったか')
    expect(quotations[0]?.text).toContain('銀貨')
  })

  it('quotes of a line as long as a chapter the sentences that answer, at their place', async () => {
    const other = '二人は黙っていた。'.repeat(200)
    const text = `序\n${other}鍵は古い時計の裏に隠した。${other}`
    const { quotations } = await rig({ '1.txt': text }).service.ask('w', '鍵をどこに隠したか')
    const [{ line, from, to, text: quoted = '', before, after } = {}] = quotations
    expect(line).toBe(2)
    expect(quoted.length).toBeLessThanOrEqual(1_000)
    expect(quoted).toMatch(/^二人は.*鍵は古い時計の裏に隠した。(?:.*。)?$/u)
    expect(text.slice(from, to)).toBe(quoted)
    expect(`${before}${quoted}${after}`).not.toContain('\n二人')
  })

  it('cuts a line without an end into pieces of whole characters', async () => {
    const { service } = rig({ '1.txt': `${'😀'.repeat(2_001)}灯台${'a'.repeat(2_000)}` })
    const [{ text: quoted = '' } = {}] = (await service.ask('w', '灯台')).quotations
    expect(quoted).toContain('灯台')
    expect(quoted.isWellFormed()).toBe(true)
  })

  it('finds English words in their other forms, and readings do not come between the letters of a name', async () => {
    const { service } = rig({
      'a.txt': 'She walked home.\nThe stolen watches were hidden below the stairs.\n',
      'b.txt': '｜綾瀬《あやせ》は笑った。\n',
    })
    expect((await service.ask('w', 'Where did they hide each watch?')).quotations[0]?.line).toBe(2)
    expect((await service.ask('w', '綾瀬はどうしたか')).quotations[0]).toMatchObject({
      path: 'b.txt',
      line: 1,
    })
  })

  it('marks the words of the question in other forms, and pairs of letters within longer words', async () => {
    const { service } = rig({
      'a.txt': 'The stolen Watches were hidden below the stairs.\n',
      'b.txt': '古時計店の主は蓄音機も売った。\n',
    })
    const marked = async (question: string) => {
      const { text = '', matches = [] } = (await service.ask('w', question)).quotations[0] ?? {}
      return matches.map(({ from, to }) => text.slice(from, to))
    }
    expect(await marked('Where did they hide each watch?')).toEqual(['Watches'])
    expect(await marked('時計と蓄音機を売ったのは誰か')).toEqual(['時計', '蓄音機', '売'])
  })

  it('reads what was typed since the last question, and names a file that cannot be read', async () => {
    const { service, documents, root } = rig({ 'a.txt': '海は静かだ。\n', 'b.txt': '山\n' })
    expect((await service.ask('w', '灯台')).quotations).toEqual([])
    await documents.edit(
      { root, path: 'a.txt' },
      () => [{ from: 0, to: 0, insert: '灯台が見える。\n' }],
      'replace',
    )
    expect((await service.ask('w', '灯台')).quotations).toMatchObject([{ path: 'a.txt', line: 1 }])
    rmSync(join(root, 'b.txt'))
    mkdirSync(join(root, 'b.txt'))
    expect((await service.ask('w', '灯台')).unread).toEqual(['b.txt'])
  })
})

describe('edits that no search has told', () => {
  it.each([
    ['backwards', [{ from: 5, to: 1, insert: '' }]],
    [
      'in another order',
      [
        { from: 3, to: 4, insert: '' },
        { from: 0, to: 1, insert: '' },
      ],
    ],
    [
      'over one another',
      [
        { from: 0, to: 3, insert: '' },
        { from: 2, to: 4, insert: '' },
      ],
    ],
  ])('are refused: %s', (_, edits) => {
    expect(ChosenReplacement.safeParse({ path: 'a.txt', hash: '', edits }).success).toBe(false)
  })

  it('change nothing beyond the end of a text', async () => {
    const { service, find, textOf } = rig({ 'a.txt': '雨' })
    const [chosen] = chosenOf(await find({}))
    const edits = [{ from: 0, to: 1_000_000, insert: '' }]
    expect(await service.replace('w', [{ path: 'a.txt', hash: chosen?.hash ?? '', edits }])).toMatchObject({
      count: 0,
      changed: ['a.txt'],
    })
    expect(await textOf('a.txt')).toBe('雨')
  })
})
