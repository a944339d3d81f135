import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Page, pageServer } from '../../../tests/fakes/servers/page-server.ts'
import { systemClock } from '../platform/clock.ts'
import { pageText } from './page-text.ts'
import { readAddress, siteOf, WebRefusal } from './web-address.ts'
import { createWebReader, isPublicAddress, type WebPage, type WebReader } from './web-reader.ts'

const article = `<!doctype html><html><head><title>Leap &amp; years</title><style>p{color:red}</style></head><body>
<nav><a href="/home">Home</a></nav><script>alert(1)</script>
<h1>Leap years</h1><p>Every <b>fourth</b> year. <a href="/rules#top">The rules</a>, <a href="javascript:x()">not this</a>.</p>
<ul><li>2000</li><li>1900</li></ul><pre><code>year % 4</code></pre><img src="a.png" alt="a calendar"></body></html>`

const sent =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Page =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
const moved = (location: string): Page => sent('', { location }, 302)

async function site(pages: Parameters<typeof pageServer>[0]) {
  const server = await pageServer(pages)
  const reader = createWebReader({ clock: systemClock, pageNetwork: server.network })
  return {
    ...server,
    reader,
    read: (path: string) => readFrom(reader, `http://site.test:${server.port}${path}`),
  }
}

function readFrom(reader: WebReader, address: string): Promise<WebPage> {
  return reader.read(readAddress(address), new AbortController().signal)
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return error instanceof WebRefusal
    ? [error.reason, ...Object.values(error.values)].join(' ')
    : String(error)
}

describe('a page', () => {
  it('is read as Markdown, without what nobody reads on it', async () => {
    const { read, port } = await site({ '/': article })
    const { title, text } = await read('/#part')
    expect(title).toBe('Leap & years')
    expect(text).toBe(
      [
        '# Leap years',
        `Every **fourth** year. [The rules](http://site.test:${port}/rules#top), not this.`,
        '-   2000\n-   1900',
        '```\nyear % 4\n```',
        '(a calendar)',
      ].join('\n\n'),
    )
  })

  it.each([
    ['gzip', gzipSync(article)],
    ['br', brotliCompressSync(article)],
  ])('may come compressed by %s', async (encoding, body) => {
    const { read } = await site({ '/': sent(body, { 'content-encoding': encoding }) })
    expect((await read('/')).text).toContain('# Leap years')
  })

  it('is read in its own encoding, as the header or the page says', async () => {
    const sjis = Buffer.from([0x82, 0xa0])
    const meta = Buffer.concat([Buffer.from('<html><meta charset="shift_jis"><p>'), sjis])
    const { read } = await site({
      '/header': sent(Buffer.concat([Buffer.from('<p>'), sjis]), {
        'content-type': 'text/html; charset=Shift_JIS',
      }),
      '/meta': sent(meta, { 'content-type': 'text/html' }),
      '/json': sent('{"a": 1}', { 'content-type': 'application/ld+json' }),
    })
    expect((await read('/header')).text).toBe('あ')
    expect((await read('/meta')).text).toBe('あ')
    expect((await read('/json')).text).toBe('{"a": 1}')
  })

  it('is asked for once while it is read on in', async () => {
    const { read, asked } = await site({ '/': article })
    await read('/')
    await read('/')
    expect(asked).toHaveLength(1)
  })

  it('is followed within its site, and not to another one', async () => {
    const { read, asked } = await site({
      '/old': (request, response) => moved(`http://www.${request.headers.host}/new`)(request, response),
      '/new': article,
      '/away': moved('http://elsewhere.test/x'),
      '/file': moved('file:///etc/passwd'),
      '/round': moved('/round'),
    })
    expect((await read('/old')).address).toMatch(/^http:\/\/www\.site\.test:\d+\/new$/)
    expect(await refusal(read('/away'))).toBe('other-site http://elsewhere.test/x')
    expect(await refusal(read('/file'))).toBe('bad-address')
    expect(await refusal(read('/round'))).toBe('redirects')
    expect(asked.some((line) => line.includes('elsewhere'))).toBe(false)
  })

  it('of another kind, with an error, or of nobody is said as what it is', async () => {
    const { read } = await site({
      '/image': sent('PNG', { 'content-type': 'image/png' }),
      '/broken': (_, response) => void response.destroy(),
    })
    expect(await refusal(read('/image'))).toBe('not-text image/png 3')
    expect(await refusal(read('/none'))).toBe('status 404')
    expect(await refusal(read('/broken'))).toBe('unreachable ECONNRESET')
  })

  it('that does not end is cut, and one that nobody waits for is left', async () => {
    const { read, reader, port } = await site({
      '/endless': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' })
        const more = (): void => void (response.destroyed || response.write('x'.repeat(100_000), more))
        more()
      },
      '/slow': () => undefined,
    })
    const endless = await read('/endless')
    expect([endless.isCut, endless.text.length]).toEqual([true, 5_000_000])
    const stop = new AbortController()
    const slow = reader.read(readAddress(`http://site.test:${port}/slow`), stop.signal)
    setTimeout(() => stop.abort(new Error('stopped')), 20)
    await expect(slow).rejects.toThrow('stopped')
  })
})

describe('a page that is made to stop the host', () => {
  const html = (text: string) => ({
    address: 'http://site.test/',
    type: 'text/html',
    charset: 'utf-8',
    body: Buffer.from(text),
    isCut: false,
  })

  it('takes a limited time, while the host goes on', async () => {
    const never = new AbortController().signal
    let turns = 0
    const turning = setInterval(() => void turns++, 10)
    const items = '<ul><li>x'.repeat(100_000)
    expect(await refusal(pageText(html(items), never, 500))).toBe('too-complex')
    clearInterval(turning)
    expect(turns).toBeGreaterThan(5)
    expect(await refusal(pageText(html('<table><tr><td>'.repeat(20_000)), never))).toBe('too-complex')
  })

  it('is left where the user stops', async () => {
    const stop = new AbortController()
    const reading = pageText(html('<div>'.repeat(200_000)), stop.signal)
    setTimeout(() => stop.abort(new Error('stopped')), 50)
    await expect(reading).rejects.toThrow('stopped')
  })

  it('is read where only its shape is odd', async () => {
    const never = new AbortController().signal
    expect((await pageText(html(`<p>x${'<title'.repeat(800_000)}`), never)).title).toBe('')
  })

  it('may name an encoding that objects have', async () => {
    const { read } = await site({ '/': sent(article, { 'content-encoding': 'constructor' }) })
    expect((await read('/')).text).toContain('# Leap years')
  })
})

describe('an address', () => {
  it('must be one of the public Web', async () => {
    const { port, asked } = await pageServer({ '/': article })
    const resolve = async (host: string) =>
      host === 'mixed.test' ? ['93.184.216.34', '127.0.0.1'] : ['127.0.0.1']
    const reader = createWebReader({
      clock: systemClock,
      pageNetwork: { isAllowed: isPublicAddress, resolve },
    })
    for (const host of ['site.test', 'mixed.test', '127.0.0.1', '[::1]', '0x7f.1', '2130706433'])
      expect(await refusal(readFrom(reader, `http://${host}:${port}/`)), host).toMatch(/^private/)
    expect(asked).toEqual([])
  })

  it('has a plain form', () => {
    for (const wrong of [
      '',
      'example.com',
      'ftp://example.com/',
      'file:///x',
      'http://',
      `http://a.test/${'x'.repeat(2_000)}`,
    ])
      expect(() => readAddress(wrong), wrong).toThrow('bad-address')
    expect(() => readAddress('https://me:secret@example.com/')).toThrow('has-password')
    expect(siteOf(readAddress('https://www.Example.com/a#b'))).toBe('example.com')
    expect(siteOf(readAddress('http://example.com:8080/'))).toBe('example.com:8080')
  })
})

describe('a public address', () => {
  it.each(['93.184.216.34', '1.1.1.1', '2606:4700:4700::1111', '172.32.0.1'])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:93.184.216.34',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'ff02::1',
    '2002:7f00:1::',
    '2001:db8::1',
    'localhost',
    '',
  ])('is not %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
