import { renderToStaticMarkup } from 'react-dom/server'
import { afterAll, describe, expect, it } from 'vitest'
import { connectToFakeHost } from '../../../../../tests/fakes/window-host/fake-connection.ts'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { createAppStore } from '../../../state/app-store.ts'
import { StoreProvider } from '../../../state/store-context.tsx'
import { createBrowserMemory } from '../../../state/window-memory.ts'
import { codeInfo } from './code-block.tsx'
import { isOpenable, type MarkdownBlock, MarkdownStream, parseMarkdown } from './markdown-parser.ts'
import { renderTokens } from './markdown-view.tsx'

const connection = connectToFakeHost(new FakeHost())
const store = createAppStore(connection, createBrowserMemory(null))
afterAll(() => connection.drop())

const markup = ({ tokens }: MarkdownBlock) =>
  renderToStaticMarkup(<StoreProvider store={store}>{renderTokens(tokens)}</StoreProvider>)
const html = (text: string) => parseMarkdown(text).map(markup).join('')

describe('what a text can do', () => {
  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['an image tag', '<img src=x onerror=alert(1)>'],
    ['an event in a block', '<div onclick="alert(1)">x</div>'],
    ['a comment', '<!-- <b>x</b> -->'],
    ['a script’s address', '[x](javascript:alert(1))'],
    ['a hidden script’s address', '[x](java&#115;cript:alert(1))'],
    ['an encoded script’s address', '[x](&#x6A;avascript:alert(1))'],
    ['a script in capitals', '[x](JaVaScRiPt:alert(1))'],
    ['a script behind a tab', '[x](\tjavascript:alert(1))'],
    ['data', '[x](data:text/html;base64,PHNjcmlwdD4=)'],
    ['a visual basic script', '[x](vbscript:msgbox)'],
    ['a file', '[x](file:///etc/passwd)'],
    ['a blob', '[x](blob:1234-5678)'],
    ['the app’s own scheme', '[x](tsugi://app/)'],
    ['an automatic link', '<javascript:alert(1)>'],
    ['a reference', '[x][1]\n\n[1]: javascript:alert(1)'],
    ['an address without its scheme', '[x](//evil.example/)'],
  ])('%s neither runs nor opens', (_name, text) => {
    expect(html(text)).not.toMatch(/<(?:script|img|div|iframe)|<[^>]*(?:href=|\son\w+=)/i)
  })

  it.each(['http://a.example/', 'https://a.example/?q=1#x', 'mailto:a@b.example'])('%s opens', (address) => {
    expect(isOpenable(address)).toBe(true)
    expect(html(`[x](${address})`)).toContain('target="_blank" rel="noreferrer noopener"')
  })

  it('shows where a link leads, unless its words are that very address', () => {
    expect(html('[my bank](https://evil.example/bank)')).toContain('(evil.example/bank)')
    expect(html('[https://bank.example](https://evil.example)')).toContain('(evil.example)')
    expect(html('https://a.example/b')).not.toContain('markdown-address')
  })

  it('shows an image as a link to it and loads nothing', () => {
    const chart = html('![a chart](https://a.example/c.png)')
    expect(chart).not.toContain('<img')
    expect(chart).toContain('href="https://a.example/c.png"')
    expect(chart).toContain('a chart')
    expect(html('![x](data:image/svg+xml;base64,PHN2Zz4=)')).not.toMatch(/<img|href/)
  })

  it('shows a place in the project as its words', () => {
    expect(html('[date.ts](src/date.ts)')).toBe('<p><span title="src/date.ts">date.ts</span></p>')
  })

  it('goes no deeper than it must', () => {
    expect(html('>'.repeat(5000)).match(/<blockquote/g)?.length ?? 0).toBeLessThan(30)
    expect(html('- '.repeat(5000)).match(/<ul/g)?.length ?? 0).toBeLessThan(30)
    expect(html(`${'['.repeat(4_000)}x${']'.repeat(4_000)}`)).toContain('[[[')
    expect(html('**a *'.repeat(5000)).includes('a')).toBe(true)
  })

  it('renders a very long text whole', () => {
    const text = '雨が**降る**。'.repeat(4_000)
    expect(html(text).match(/<strong>/g)).toHaveLength(4_000)
  })
})

describe('what a text can say', () => {
  it('has headings below the page’s own, lists, tables, quotes and emphasis', () => {
    expect(html('# a')).toBe('<h3>a</h3>')
    expect(html('3. a\n4. b')).toBe('<ol start="3"><li>a</li><li>b</li></ol>')
    expect(html('|a|b|\n|-|-:|\n|1|2|')).toContain('<td style="text-align:right">2</td>')
    expect(html('> *a* **b** ~~c~~ `d`')).toBe(
      '<blockquote><p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p></blockquote>',
    )
  })

  it.each([
    ['ts', { language: 'ts', path: null }],
    ['', { language: '', path: null }],
    ['ts src/date.ts', { language: 'ts', path: 'src/date.ts' }],
    ['ts:src/date.ts', { language: 'ts', path: 'src/date.ts' }],
    ['python title="a b.py"', { language: 'python', path: null }],
    ['TS title="src/a.ts"', { language: 'ts', path: 'src/a.ts' }],
    ['src/date.ts', { language: 'ts', path: 'src/date.ts' }],
    ['小説/第一章.md', { language: 'md', path: '小説/第一章.md' }],
    ['c++', { language: 'c++', path: null }],
  ])('reads the fence %j', (info, wanted) => {
    expect(codeInfo(info)).toEqual(wanted)
  })
})

const story = [
  '# 見出し\n\n雨が降る。\n二行目。\n\n',
  '- 一\n- 二\n\n  続き\n\n',
  '```ts\nconst a = 1\n\nconst b = 2\n```\n\n',
  '|a|b|\n|-|-|\n|1|2|\n\n',
  '> 引用\n> つづき\n\n1. 甲\n2. 乙\n\n段落\n===\n\n本文\n#タグではない\n\n最後。',
].join('')

/** What blocks say, without the lines that they stand on. */
const shapeOf = (blocks: readonly MarkdownBlock[]) =>
  blocks.map(({ tokens }) =>
    JSON.stringify(tokens, (name, value) => (name === 'map' || name === 'meta' ? undefined : value)),
  )

describe('a text that grows', () => {
  it('reads at every character as the whole text so far does', () => {
    const stream = new MarkdownStream()
    for (let end = 1; end <= story.length; end += 1) {
      const text = story.slice(0, end)
      expect(shapeOf(stream.update(text)), JSON.stringify(text.slice(-20))).toEqual(
        shapeOf(parseMarkdown(text)),
      )
    }
  })

  it('keeps the blocks of the past the same objects', () => {
    const stream = new MarkdownStream()
    const before = stream.update('一。\n\n二。\n\n三\n')
    const after = stream.update('一。\n\n二。\n\n三\n四')
    expect(after[0]).toBe(before[0])
    expect(after[1]).toBe(before[1])
    expect(after[2]).not.toBe(before[2])
  })

  it('parses once for each piece, and no more than the last two blocks', () => {
    const parsed: number[] = []
    const stream = new MarkdownStream((text) => {
      parsed.push(text.length)
      return parseMarkdown(text)
    })
    const paragraph = `${'雨が窓を叩く。'.repeat(10)}\n\n`
    const pieces = paragraph.match(/.{1,7}/gsu) ?? []
    let text = ''
    for (let count = 0; count < 200; count += 1) {
      for (const piece of pieces) {
        text += piece
        stream.update(text)
      }
    }
    expect(parsed).toHaveLength(200 * pieces.length)
    expect(Math.max(...parsed)).toBeLessThanOrEqual(2 * paragraph.length)
    stream.update(text)
    expect(parsed).toHaveLength(200 * pieces.length)
  })

  it('begins anew where the text is another one', () => {
    const stream = new MarkdownStream()
    stream.update('一。\n\n二。\n\n三')
    expect(shapeOf(stream.update('別。'))).toEqual(shapeOf(parseMarkdown('別。')))
  })
})
