import { describe, expect, it } from 'vitest'
import { chaptersOf, fromSite, notationOf } from './from-site.ts'
import { siteLine } from './site-text.ts'

describe('a site’s notation', () => {
  it.each([
    ['｜傍《・》｜点《・》', 'narou'],
    ['漢字（かんじ）だけ', 'narou'],
    ['本文［＃「本文」に傍点］', 'aozora'],
    ['漢字《かんじ》', 'kakuyomu'],
    ['Plain English (text).', 'kakuyomu'],
  ])('of %s is %s', (text, wanted) => expect(notationOf(text)).toBe(wanted))

  it.each([
    ['これは｜傍《・》｜点《・》です', 'narou', 'これは《《傍点》》です'],
    ['漢字（かんじ）と心情｜（なんて）', 'narou', '漢字《かんじ》と心情（なんて）'],
    ['彼は（ちょっと）', 'narou', '彼は（ちょっと）'],
    ['［＃３字下げ］一［＃「一」は中見出し］', 'aozora', '一［＃「一」は中見出し］'],
    ['走れ［＃「走れ」に傍点］メロス', 'aozora', '《《走れ》》メロス'],
    ['［＃傍点］走れ［＃傍点終わり］メロス', 'aozora', '《《走れ》》メロス'],
    ['外［＃「外」の注記］走れ［＃「走れ」に傍点］', 'aozora', '外［＃「外」の注記］《《走れ》》'],
    ['「走れ」［＃「「走れ」」に傍点］と', 'aozora', '《《「走れ」》》と'],
    ['※［＃始め二重山括弧、1-1-52］竜※［＃終わり二重山括弧、1-1-53］', 'aozora', '｜《竜》'],
    ['※［＃「てへん＋劣」、第3水準1-84-77］', 'aozora', '※［＃「てへん＋劣」、第3水準1-84-77］'],
    ['何も《変》えない', 'kakuyomu', '何も《変》えない'],
  ] as const)('%s of %s becomes %s', (text, notation, wanted) =>
    expect(fromSite(text, notation)).toBe(wanted),
  )

  it.each(['narou', 'aozora'] as const)('of %s comes back as it went', (site) => {
    for (const line of [
      '佐々木《ささき》と｜お城《しろ》',
      'これは《《傍点》》です',
      '※注意［＃ここ］〔甲〕',
      '《《「走れ」》》と《《走」れ》》と［＃傍点］と',
      '《《［走れ］》》',
    ])
      expect(fromSite(siteLine(line, site), site)).toBe(
        line.replace('｜《', '｜《').replace('佐々木', site === 'narou' ? '｜佐々木' : '佐々木'),
      )
  })
})

describe('chapters of an imported text', () => {
  it('begin at Markdown headings that occur more than once', () => {
    expect(chaptersOf('# 題\n\n## 一\n\n雨。\n\n## 二\n\n雪。\n', true)).toEqual([
      { title: '一', text: '雨。\n' },
      { title: '二', text: '雪。\n' },
    ])
  })

  it('have the only heading as their title where the text begins with it', () => {
    expect(chaptersOf('\n# 題 #\n\n雨。\n', true)).toEqual([{ title: '題', text: '雨。\n' }])
    for (const text of ['雨。\n\n- 雪\n', '# 題\n\n#### 一\n\n雨。\n', '#tag\n'])
      expect(chaptersOf(text, true)).toEqual([{ title: '', text }])
  })

  it('begin at headings and page breaks of Aozora', () => {
    const text = '一［＃「一」は中見出し］\n雨。\n［＃改ページ］\n二［＃「二」は中見出し］\n雪。\n'
    expect(chaptersOf(text, false)).toEqual([
      { title: '一', text: '雨。\n' },
      { title: '二', text: '雪。\n' },
    ])
    expect(chaptersOf('雨。\n［＃改ページ］\n雪。', false).map((chapter) => chapter.text)).toEqual([
      '雨。\n',
      '雪。\n',
    ])
  })

  it('do not begin with a page that has only the title of the work and the head of an Aozora file', () => {
    const line = '-'.repeat(55)
    const head = `雨の記録\n夏目漱石\n\n${line}\n【テキスト中に現れる記号について】\n\n《》：ルビ\n${line}\n\n`
    for (const page of ['', '［＃改ページ］\n'])
      expect(chaptersOf(`${head}${page}一［＃「一」は中見出し］\n\n雨。\n`, false)).toEqual([
        { title: '一', text: '雨。\n' },
      ])
  })

  it('have titles of Aozora with quotations in them, in both forms of the note', () => {
    const notes = [
      '［＃３字下げ］「雨」と雪［＃「「雨」と雪」は中見出し］',
      '［＃３字下げ］［＃中見出し］「雨」と雪［＃中見出し終わり］',
      '［＃大見出し］「雨」と雪［＃大見出し終わり］',
    ]
    for (const note of notes)
      expect(chaptersOf(`${note}\n\n雨。\n`, false), note).toEqual([{ title: '「雨」と雪', text: '雨。\n' }])
  })

  it('are one where nothing parts them, and none of an empty text', () => {
    expect(chaptersOf('# 見出しではない', false)).toEqual([{ title: '', text: '# 見出しではない\n' }])
    expect(chaptersOf('\n\n', true)).toEqual([])
  })

  it('keep the text before the first heading, but not the title of the work alone', () => {
    const titles = (text: string, isMarkdown: boolean) =>
      chaptersOf(text, isMarkdown).map(({ title }) => title)
    expect(chaptersOf('雨の話。\n\n# 一\nあ\n# 二\nい', true)[0]).toEqual({ title: '', text: '雨の話。\n' })
    expect(titles('序。\n二行目。\n# 一\nあ\n# 二\nい', true)).toEqual(['', '一', '二'])
    expect(titles('古池や\n蛙飛びこむ水の音\n# 一\nあ\n# 二\nい', true)).toEqual(['', '一', '二'])
    expect(titles('# 題！\n## 一\nあ\n## 二\nい', true)).toEqual(['一', '二'])
    const chapters = '\n\n一［＃「一」は大見出し］\nあ\n二［＃「二」は大見出し］\nい'
    expect(titles(`雨の記録\n夏目漱石${chapters}`, false)).toEqual(['一', '二'])
    expect(titles(`雨の記録\n夏目漱石\n\n　雨が降る。${chapters}`, false)).toEqual(['', '一', '二'])
  })
})
