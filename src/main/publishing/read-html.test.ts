import { describe, expect, it } from 'vitest'
import { readDocx } from './read-docx.ts'
import { linesOfHtml, parted } from './read-html.ts'
import { docxBytes } from './write-docx.ts'

const chaptersOf = (html: string) => parted(linesOfHtml(html))

describe('a page', () => {
  it('has a line for each block, whatever the element', () => {
    const html =
      '<div>あ</div> <div>い<div>う</div></div><blockquote>え</blockquote>お<h2>一</h2><p>か</p><p></p>'
    expect(linesOfHtml(html).map(({ level, text }) => `${level}${text.trim()}`)).toEqual([
      ...['0あ', '0い', '0う', '0え', '0お', '2一', '0か', '0'],
    ])
  })
})

describe('a named character of a page', () => {
  it('is read as that character; a name that there is not stays as it is written', () => {
    const html = '<p>&ldquo;Caf&eacute;&rdquo; &mdash; it&rsquo;s &Eacute;lan&hellip;&nbsp;&yuml;</p>'
    expect(linesOfHtml(html)[0]?.text).toBe('“Café” — it’s Élan…\u00a0ÿ')
    expect(linesOfHtml('<p>&constructor; &unknown; &#x2014;&#8230;</p>')[0]?.text).toBe(
      '&constructor; &unknown; —…',
    )
  })
})

describe('the text before the first chapter of a page', () => {
  const chapters = '<h2>一</h2><p>あ</p><h2>二</h2><p>い</p>'

  it('is left out where it is the title of the book alone', () => {
    for (const title of ['<h1>題！</h1>', '<p>刻の迷宮</p>', '<p></p>'])
      expect(chaptersOf(`${title}${chapters}`).map(({ title }) => title)).toEqual(['一', '二'])
  })

  it('is kept where it is a line of text', () => {
    expect(chaptersOf(`<p>雨が降っていた。</p>${chapters}`)[0]).toEqual({
      title: '',
      text: '雨が降っていた。\n',
    })
  })

  it('of a Word export is the title of the book, whatever sign it ends with', async () => {
    const own = [
      { title: '一', text: 'あ' },
      { title: '二', text: 'い' },
    ]
    const book = { title: '題！', author: '', language: 'ja', chapters: own }
    const bytes = await docxBytes(book, { isVertical: false, dice: {} })
    expect(await readDocx(bytes, 'a.docx')).toEqual(
      own.map(({ title, text }) => ({ title, text: `${text}\n` })),
    )
  })
})
