import { describe, expect, it } from 'vitest'
import { readSettings, splitFrontMatter, writeSettings } from './front-matter.ts'

const settingsOf = (source: string) => readSettings(splitFrontMatter(source).yaml ?? '')

describe('front matter', () => {
  it('makes a material an entry where it has keys or always', () => {
    expect(settingsOf('---\nkeys: [綾瀬, あやせ]\npriority: 80\nrange: 3-7\n---\n本文')).toMatchObject({
      isEntry: true,
      settings: { keys: ['綾瀬', 'あやせ'], priority: 80, range: { from: 3, to: 7 }, enabled: true },
    })
    expect(settingsOf('---\nalways: true\n---\n').isEntry).toBe(true)
    expect(settingsOf('---\ntitle: メモ\n---\n').isEntry).toBe(false)
  })

  it.each([
    ['3', { from: 3, to: 3 }],
    ['3-', { from: 3, to: null }],
    ['-7', { from: null, to: 7 }],
    ['３〜７', { from: 3, to: 7 }],
    ['[3, 7]', { from: 3, to: 7 }],
  ])('reads the range %s', (written, wanted) => {
    const range = written.startsWith('[') ? written : `"${written}"`
    expect(settingsOf(`---\nkeys: a\nrange: ${range}\n---\n`).settings.range).toEqual(wanted)
  })

  it.each([
    '---\nkeys: [綾瀬\n---\n',
    '---\nkeys: [a]\nrange: 来週\n---\n',
    '---\nkeys: &a [*a]\n---\n',
    '---\nkeys: [a]\nalways: maybe\n---\n',
  ])('tells that %j cannot be read, and keeps the entry out of prompts', (source) => {
    expect(settingsOf(source)).toMatchObject({
      isEntry: true,
      settings: { enabled: false },
      problem: { kind: 'front-matter' },
    })
  })

  it.each([
    ['a quotation without an end', 'title: "メモ\ntags: [a]'],
    ['a list without an end', '名前: 綾瀬\n  性別: [女'],
    ['a reference to nothing', 'a: *b'],
    ['more text than is read', `memo: ${'覚'.repeat(70_000)}`],
  ])('with %s makes a material an unreadable entry, also without keys', (_, yaml) => {
    expect(settingsOf(`---\n${yaml}\n---\n本文\n`)).toMatchObject({
      isEntry: true,
      settings: { enabled: false },
      problem: { kind: 'front-matter', fields: [] },
    })
  })

  it.each([
    ['---\ntags: [a]\nkeys: "綾瀬\n---\n本文\n', 3, []],
    ['---\nkeys: [綾瀬]\nmemo: 一\nmemo: 二\n---\n', 4, []],
    ['---\nkeys: [綾瀬]\npriority: 70\nrange: 来週\n---\n', 4, ['range']],
    ['---\nalways: maybe\nkeys: [""]\n---\n', 2, ['always', 'keys']],
  ])('tells which line of the file %j cannot be read, and which values', (source, line, fields) => {
    const { problem } = settingsOf(source)
    expect(problem).toMatchObject({ line })
    expect(problem?.kind === 'front-matter' && problem.fields.toSorted()).toEqual(fields)
  })

  it('with one value that cannot be read still tells the others, and keeps it when others are saved', () => {
    const source = '---\nkeys: [綾瀬, あやせ]\npriority: 120\nrange: 来週 # 仮\n---\n本文\n'
    const { settings } = settingsOf(source)
    expect(settings).toMatchObject({ keys: ['綾瀬', 'あやせ'], priority: 100, range: null, enabled: false })
    // The editor of an entry writes all of its fields.
    expect(writeSettings(source, { ...settings, never: ['夢'] })).toBe(
      '---\nkeys: [綾瀬, あやせ]\npriority: 120\nrange: 来週 # 仮\nnever:\n  - 夢\n---\n本文\n',
    )
    expect(writeSettings(source, { ...settings, range: { from: 2, to: null } })).toContain('range: 2-')
  })

  it.each([
    ['prose between two thematic breaks', '　雨の夜だった。\n\n　扉が開いた。'],
    ['prose with a colon', 'He said: yes.\nThen he left.'],
    ['prose below a heading', '# 第一章\n　雨の夜だった。'],
    ['a list', '- 傘\n- 時計'],
    ['prose that is longer than front matter may be', '雨が降る。'.repeat(20_000)],
  ])('does not count %s, which is text for the model', (_, block) => {
    const source = `---\n${block}\n---\n本文\n`
    expect(splitFrontMatter(source)).toEqual({ yaml: null, text: source, bodyFrom: 0 })
  })

  it.each([
    ['names with values', 'title: メモ\ntags: [a]'],
    ['a name with blanks', 'made by: me'],
    ['a map in braces', '{keys: [a]}'],
    ['a quoted name below a comment', '# 私の\n\n"別名": 雨'],
    ['comments alone', '# 私の'],
    ['nothing', ''],
    ['a mistake behind a first name', '名前: 綾瀬\nmemo: "雨'],
    ['a mistake before our own name', '<<<<<<< HEAD\nkeys: [綾瀬'],
    ['more names than can be read', `memo: ${'覚'.repeat(70_000)}`],
  ])('counts a block with %s', (_, yaml) => {
    const head = `---\n${yaml}${yaml === '' ? '' : '\n'}---\n`
    expect(splitFrontMatter(`${head}本文`)).toEqual({ yaml, text: '本文', bodyFrom: head.length })
  })

  it('is written around what others put there', () => {
    const source = '---\n# 人物\ntags: [a]\nkeys: [綾瀬]\npriority: 70\n---\n　書生。\n'
    expect(writeSettings(source, { keys: ['綾瀬', '書生'], priority: 50, always: true })).toBe(
      '---\n# 人物\ntags: [a]\nkeys:\n  - 綾瀬\n  - 書生\nalways: true\n---\n　書生。\n',
    )
    expect(writeSettings('　書生。\n', { keys: ['綾瀬'] })).toBe('---\nkeys:\n  - 綾瀬\n---\n　書生。\n')
    expect(writeSettings('---\n# 人物\n---\n本文\n', { keys: ['綾瀬'] })).toMatch(
      /^---\n# 人物\n+keys:\n {2}- 綾瀬\n---\n本文\n$/,
    )
  })

  it.each([
    ['with a mistake', 'keys: [綾瀬\nmemo: 大切な覚え書き'],
    ['with a name twice', 'memo: 一\nmemo: 二'],
    ['that is a list', '- 大切な覚え書き'],
    ['that is a text', '大切な覚え書き'],
    ['that is too long', `memo: ${'覚'.repeat(70_000)}`],
  ])('%s is not written over: it stays, below the new one', (_, yaml) => {
    const source = `---\n${yaml}\n---\n本文\n`
    const written = writeSettings(source, { keys: ['綾瀬'] })
    expect(written).toBe(`---\nkeys:\n  - 綾瀬\n---\n${source}`)
    expect(settingsOf(written)).toMatchObject({ isEntry: true, problem: null })
  })
})
