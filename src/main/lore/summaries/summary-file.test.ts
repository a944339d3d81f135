import { describe, expect, it } from 'vitest'
import {
  isOutdated,
  isOutdatedAmong,
  markSource,
  readSummary,
  renamedChapter,
  summaryFolderOf,
  summaryPaths,
  writeSummary,
} from './summary-file.ts'

const chapter = (count: number, changed = 0, added = 0) =>
  [
    ...Array.from({ length: count }, (_, i) => `　第${i}の文${i < changed ? '、直した' : ''}。`),
    ...Array.from({ length: added }, (_, i) => `　新しい文${i}。`),
  ].join('\n')

describe('a summary of several chapters', () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `第一部/${at}.txt`)

  it.each([2, 100, 400])('keeps in its file what it was made from, also of %i', (count) => {
    const marks = Object.fromEntries(names(count).map((path, at) => [path, markSource(chapter(60 + at))]))
    const source = writeSummary('全体。', { episodes: names(count), marks })
    expect(source.length).toBeLessThan(64_000)
    const read = readSummary(source)
    expect(read).toMatchObject({ text: '全体。', mark: null, episodes: names(count) })
    const isOld = (path: string, text: string) => isOutdatedAmong(read.marks, path, text)
    expect(isOld('第一部/1.txt', chapter(61))).toBe(false)
    expect(isOld('第一部/1.txt', chapter(61, 40))).toBe(true)
    // A summary of very many chapters keeps only a hash of each: any change makes it outdated.
    expect(isOld('第一部/1.txt', chapter(61, 1))).toBe(count === 400)
  })

  it('follows a chapter to its new name with what it was made from', () => {
    const marks = { '1.txt': markSource(chapter(3)) }
    const source = writeSummary('全体。', { episodes: ['1.txt'], marks })
    const change = renamedChapter(source, '1.txt', '2.txt')
    const read = readSummary(`${change?.insert}${source.slice(change?.to)}`)
    expect(read).toMatchObject({ text: '全体。', episodes: ['2.txt'], marks: { '2.txt': marks['1.txt'] } })
    expect(Object.keys(read.marks ?? {})).toEqual(['2.txt'])
  })
})

describe('a summary', () => {
  it.each([
    ['the same text', 60, 0, 0, false],
    ['one sentence of sixty', 60, 1, 0, false],
    ['a tenth', 60, 6, 0, false],
    ['a sixth', 60, 10, 0, true],
    ['a twentieth added', 60, 0, 3, false],
    ['a quarter added', 60, 0, 20, true],
    ['a hundredth of a long chapter', 800, 8, 0, false],
    ['a third of a long chapter', 800, 270, 0, true],
    ['a long chapter that doubled', 800, 0, 800, true],
  ])('is outdated where the chapter changed enough: %s', (_, count, changed, added, expected) => {
    expect(isOutdated(markSource(chapter(count)), chapter(count, changed, added))).toBe(expected)
  })

  it('keeps what it was made from in its file, and takes the rest as its text', () => {
    const mark = markSource(chapter(3))
    expect(readSummary(writeSummary(' 猫がいた。\n', { mark }))).toEqual({
      text: '猫がいた。',
      mark,
      episodes: [],
    })
    expect(readSummary(writeSummary('全体。', { episodes: ['001.txt', 'a: b.txt'] })).episodes).toEqual([
      '001.txt',
      'a: b.txt',
    ])
    expect(readSummary('　私のあらすじ。\n')).toEqual({ text: '私のあらすじ。', mark: null, episodes: [] })
    expect(readSummary('---\nkeys: [a\n---\n本文').mark).toBeNull()
  })

  it('that begins with prose between two thematic breaks keeps that prose in its text', () => {
    const source = '---\n　雨の夜だった。\n---\n　扉が開いた。'
    expect(readSummary(source)).toEqual({ text: source, mark: null, episodes: [] })
  })

  it.each([
    ['with a mistake', 'keys: [綾瀬\n\nmemo: 大切な覚え書き'],
    ['with a name twice', 'memo: 大切な覚え書き\nmemo: 二'],
    ['that is a text', '大切な覚え書き'],
    ['that is too long', `memo: 大切な覚え書き${'覚'.repeat(70_000)}`],
    ['that is a comment', '# 大切な覚え書き'],
  ])('written over front matter %s keeps it, unread', (_, yaml) => {
    const mark = markSource(chapter(3))
    const written = writeSummary('猫がいた。', { mark }, `---\n${yaml}\n---\n犬がいた。\n`)
    expect(written).toContain('大切な覚え書き')
    expect(readSummary(written)).toMatchObject({ text: '猫がいた。', ...(yaml.length < 64_000 && { mark }) })
    expect(writeSummary('雨。', { mark }, written)).toContain('大切な覚え書き')
  })

  it('stands beside the materials, in the language of the text', () => {
    const file = (path: string, kind: 'manuscript' | 'material') => ({ path, kind }) as never
    expect(summaryFolderOf([], '雨が降っている。')).toEqual({
      folder: '資料/あらすじ',
      whole: '資料/あらすじ/全体.md',
    })
    expect(summaryFolderOf([], 'It was raining again that night.').folder).toBe('Notes/Summaries')
    expect(summaryFolderOf([file('設定/猫.md', 'material')], '雨が降る。').folder).toBe('設定/あらすじ')
    expect(summaryFolderOf([file('Notes/Summaries/1.md', 'material')], '雨が降る。').whole).toBe(
      'Notes/Summaries/Whole.md',
    )
    // As some disks name their files: じ in two characters.
    expect(summaryFolderOf([file('資料/あらすじ/1.md'.normalize('NFD'), 'material')], '雨。').folder).toBe(
      '資料/あらすじ'.normalize('NFD'),
    )
    // In a folder of chapters, a summary would be a chapter.
    const beside = [file('第一部/001.txt', 'manuscript'), file('第一部/設定/猫.md', 'material')]
    expect(summaryFolderOf(beside, '雨が降る。').folder).toBe('第一部/設定/あらすじ')
    expect(summaryFolderOf([file('第一部/覚え.txt', 'material')], '雨が降る。').folder).toBe('資料/あらすじ')
    expect(summaryPaths(summaryFolderOf([], '雨。'), [])('第一部/001.txt')).toBe(
      '資料/あらすじ/第一部/001.md',
    )
  })

  it('never shares a file with that of a chapter of a similar name, nor with the one of them all', () => {
    const place = summaryFolderOf([], '雨が降る。')
    const files = (...paths: string[]) =>
      paths.map((path) => ({ path, kind: path.startsWith('資料') ? 'material' : 'manuscript' }) as const)
    const both = summaryPaths(place, files('01.md', '01.txt', '全体.txt'))
    expect(['01.md', '01.txt', '全体.txt'].map(both)).toEqual([
      '資料/あらすじ/01.md.md',
      '資料/あらすじ/01.md',
      '資料/あらすじ/全体.txt.md',
    ])
    expect(summaryPaths(place, files('01.md'))('01.md')).toBe('資料/あらすじ/01.md')
    expect(summaryPaths(place, files('01.md', '資料/あらすじ/01.md.md'))('01.md')).toBe(
      '資料/あらすじ/01.md.md',
    )
  })
})

it('keeps comments and fields of others in the front matter of a summary that is written again', () => {
  const before = '---\n# 私の\ntags: [雨]\nmade-from: old\nsample: old\n---\n前の話。\n'
  const mark = { hash: 'a1', sample: 'b2' }
  expect(writeSummary('雨の話。', { mark }, before)).toBe(
    '---\n# 私の\ntags: [ 雨 ]\nmade-from: a1\nsample: b2\n---\n雨の話。\n',
  )
  expect(writeSummary('雨の話。', { episodes: ['1.txt'] }, '---\n: [\n---\n前の話。\n')).toBe(
    '---\n#: [\n\nepisodes:\n  - 1.txt\n---\n雨の話。\n',
  )
})
