import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, deflateRawSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import iconv from 'iconv-lite'
import JSZip from 'jszip'
import mammoth from 'mammoth'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import type { ExportOptions } from '../../shared/domain/work/publishing.ts'
import type { Work } from '../../shared/domain/work/work.ts'
import { AppError } from '../../shared/errors.ts'
import { type Disk, nodeDisk } from '../platform/files/disk.ts'
import { checkNewName } from '../platform/files/real-path.ts'
import type { ThreadLimits } from '../platform/node/limited-thread.ts'
import { createPublishing } from './publishing-service.ts'
import { readArchive } from './read-archive.ts'
import { readImport } from './read-import.ts'

const options: ExportOptions = {
  format: 'txt',
  isPerChapter: false,
  isVertical: false,
  site: 'kakuyomu',
  blankLines: 'keep',
  dice: {},
  author: '',
}

const chapters: Record<string, string> = {
  '001 雨.txt': '　｜王都《おうと》に{雨|雪}が降る。@// 直す\n\n「《《走れ》》」と<彼>は言った。\n',
  '002 & 終わり.txt': '二章。\n',
}

/** Imported files are read here, or in a thread with the limits of `thread`. */
function rig(
  texts: Record<string, string> = { ...chapters },
  { disk = nodeDisk, thread }: { disk?: Disk; thread?: ThreadLimits } = {},
) {
  const root = tempFolder()
  const work = () => ({ name: '刻の迷宮', files: Object.keys(texts).map((path) => ({ path })) }) as Work
  const service = createPublishing({
    clock: { now: () => Date.UTC(2026, 0, 2, 3, 4, 5), setTimeout: () => ({ cancel: () => undefined }) },
    random: { next: () => 0, id: () => '0123456789abcdef0123456789abcdef' },
    disk,
    hostId: 'a'.repeat(32),
    works: {
      get: work,
      rootOf: () => root,
      manuscripts: () => Object.keys(texts).map((path, order) => ({ path, order, kind: 'manuscript' })),
      async createFiles(_, files) {
        for (const { path } of files) if (path in texts) throw new AppError({ code: 'file/exists', path })
        for (const { path, text } of files) texts[path] = text
      },
    },
    async read({ path }) {
      return { text: texts[path] ?? '' }
    },
    // A thread gets a copy, in which a Buffer is a plain array of bytes.
    ...(thread ? { readingLimits: thread } : { readImport: (work) => readImport(structuredClone(work)) }),
  })
  const file = (name: string) => join(root, name)
  const put = (name: string, bytes: Uint8Array | string) => {
    writeFileSync(file(name), bytes)
    return file(name)
  }
  const exported = (name: string, wanted: Partial<ExportOptions>, mayReplace = false) =>
    service.exportText('w', file(name), { ...options, ...wanted }, mayReplace)
  return { root, service, texts, file, put, exported }
}

const code = (error: unknown) => (error instanceof AppError ? error.info.code : error)

describe('an export', () => {
  it('as text has the site’s notation and the chosen die', async () => {
    const { file, exported } = rig()
    await exported('a', { site: 'narou', dice: { '{雨|雪}': '雪' } })
    expect(readFileSync(file('a.txt'), 'utf8')).toBe(
      '刻の迷宮\n\n\n001 雨\n\n　王都《おうと》に雪が降る。\n\n「｜走《・》｜れ《・》」と<彼>は言った。\n\n\n002 & 終わり\n\n二章。\n',
    )
  })

  it('of one chapter has its text and its title alone', async () => {
    const { file, service } = rig({ '雨.txt': '一。', '雪.txt': '二。' })
    await service.exportText('w', file('a'), { ...options, format: 'md' }, false, ['雪.txt'])
    expect(readFileSync(file('a.md'), 'utf8')).toBe('# 雪\n\n二。\n')
  })

  it('as text for Aozora has its headings and page breaks', async () => {
    const { file, exported } = rig({ '雨.txt': '一。', '雪.txt': '二。' })
    await exported('a.txt', { site: 'aozora', author: '夏目' })
    expect(readFileSync(file('a.txt'), 'utf8')).toBe(
      '刻の迷宮\n夏目\n\n［＃改ページ］\n［＃３字下げ］雨［＃「雨」は中見出し］\n\n一。\n\n［＃改ページ］\n［＃３字下げ］雪［＃「雪」は中見出し］\n\n二。\n',
    )
  })

  it('as Markdown escapes what is no sign', async () => {
    const { file, exported } = rig({ '一.txt': '1. *星* と｜星《ほし》\n- 《《点》》 & <b>' })
    await exported('a', { format: 'md' })
    expect(readFileSync(file('a.md'), 'utf8')).toBe(
      '# 刻の迷宮\n\n## 一\n\n1\\. \\*星\\* と<ruby>星<rp>（</rp><rt>ほし</rt><rp>）</rp></ruby>\n\n\\- **点** &amp; &lt;b\\>\n',
    )
  })

  it('as Word is read by another library, with ruby, emphasis and the direction of the page', async () => {
    const { file, exported } = rig()
    await exported('a', { format: 'docx', isVertical: true, author: '著者' })
    const { value } = await mammoth.extractRawText({ path: file('a.docx') })
    expect(value).toContain('002 & 終わり')
    expect(value).toContain('走れ')
    const zip = await JSZip.loadAsync(readFileSync(file('a.docx')))
    const xml = (await zip.file('word/document.xml')?.async('string')) ?? ''
    expect(xml).toMatch(/<w:rt><w:r>.*おうと.*<\/w:rt><w:rubyBase><w:r>.*王都.*<\/w:rubyBase>/)
    expect(xml).toMatch(/<w:em w:val="dot"\/>/)
    expect(xml).toMatch(/<w:textDirection w:val="tbRl"\/>/)
    expect(await zip.file('docProps/core.xml')?.async('string')).toContain('著者')
  })

  it.each([true, false])('as EPUB is opened by another library, vertical: %s', async (isVertical) => {
    const { file, exported } = rig()
    await exported('a', { format: 'epub', isVertical })
    const bytes = readFileSync(file('a.epub'))
    // The type lies uncompressed at the very beginning: readers look for it there.
    expect(bytes.subarray(30, 58).toString()).toBe('mimetypeapplication/epub+zip')
    const zip = await JSZip.loadAsync(bytes)
    const read = async (name: string) => (await zip.file(`OEBPS/${name}`)?.async('string')) ?? ''
    expect(await read('package.opf')).toContain(`page-progression-direction="${isVertical ? 'rtl' : 'ltr'}"`)
    expect(await read('style.css')).toContain(`writing-mode: ${isVertical ? 'vertical-rl' : 'horizontal-tb'}`)
    expect(await read('nav.xhtml')).toContain('<a href="chapter-0002.xhtml">002 &amp; 終わり</a>')
    const page = await read('chapter-0001.xhtml')
    expect(page).toContain('<p>　<ruby>王都<rp>（</rp><rt>おうと</rt><rp>）</rp></ruby>に雨が降る。</p>')
    expect(page).toContain('<p>「<em>走れ</em>」と&lt;彼&gt;は言った。</p>')
  })

  // Where Java and epubcheck are at hand: Debian's, or the archive that `TSUGI_EPUBCHECK` names.
  // It runs for a moment: compiling it well costs more than it saves.
  const shortLived = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']
  const epubcheck = process.env.TSUGI_EPUBCHECK ?? '/usr/share/java/epubcheck.jar'
  it.skipIf(!existsSync(epubcheck))(
    'as EPUB has nothing that epubcheck objects to',
    async () => {
      const { file, exported } = rig({ ...chapters, '空.txt': '', '制.txt': 'a\u0000b\u000bc\ud800d' })
      for (const isVertical of [true, false]) {
        await exported('a', { format: 'epub', isVertical, author: 'A & B' }, true)
        const java = promisify(execFile)
        const { stderr, stdout } = await java('java', [
          ...shortLived,
          '-jar',
          epubcheck,
          '--failonwarnings',
          file('a.epub'),
        ])
        expect(stdout + stderr).toMatch(/No errors or warnings detected/)
      }
    },
    120_000,
  )

  it('is one file a chapter in a new folder', async () => {
    const { root, exported } = rig()
    expect(await exported('out', { isPerChapter: true, format: 'md' })).toEqual({
      path: join(root, 'out'),
      count: 2,
    })
    expect(readdirSync(join(root, 'out'))).toEqual(['001 雨.md', '002 & 終わり.md'])
    expect(await exported('out', { isPerChapter: true }).catch(code)).toBe('file/exists')
  })

  it('is numbered where the titles do not tell the order', async () => {
    const { root, exported } = rig({ '終章.txt': '一。\n', 'あとがき.txt': '二。\n' })
    await exported('out', { isPerChapter: true, format: 'md' })
    expect(readdirSync(join(root, 'out'))).toEqual(['1 終章.md', '2 あとがき.md'])
  })

  it('replaces a file only where it may', async () => {
    const { put, exported, file } = rig()
    put('a.txt', 'mine')
    expect(await exported('a', {}).catch(code)).toBe('file/exists')
    expect(readFileSync(file('a.txt'), 'utf8')).toBe('mine')
    await exported('a', {}, true)
    expect(readFileSync(file('a.txt'), 'utf8')).toContain('刻の迷宮')
  })

  it('of a work without a manuscript says so', async () => {
    expect(await rig({}).exported('a', {}).catch(code)).toBe('work/empty')
  })
})

describe('an import', () => {
  it.each([
    ['docx', '\n\n'],
    ['epub', '\n\n'],
    // Markdown has no blank lines but those that part its paragraphs.
    ['md', '\n'],
  ] as const)('takes back what was exported as %s, notation and all', async (format, between) => {
    const { service, texts, file, exported } = rig({ ...chapters }, { thread: { ms: 60_000, mb: 512 } })
    await exported('a', { format })
    const paths = await service.importText('w', file(`a.${format}`))
    expect(paths).toEqual(['003 雨.txt', '004 & 終わり.txt'])
    expect(texts['003 雨.txt']).toBe(
      `　｜王都《おうと》に雨が降る。${between}「《《走れ》》」と<彼>は言った。\n`,
    )
    expect(texts['004 & 終わり.txt']).toBe('二章。\n')
  })

  it.each(['docx', 'epub', 'md'] as const)(
    'takes back a chapter that was exported alone as %s',
    async (format) => {
      const { service, texts, file } = rig()
      await service.exportText('w', file('a'), { ...options, format }, false, ['002 & 終わり.txt'])
      expect(await service.importText('w', file(`a.${format}`))).toEqual(['003 & 終わり.txt'])
      expect(texts['003 & 終わり.txt']).toBe('二章。\n')
    },
  )

  it('takes back signs of Markdown and of HTML, and leaves what English stresses', async () => {
    const source = '*星* [1] #2 a_b `c` C:\\d & <b> &amp; ~e|f\n- 一\n1. 二\n+ 三'
    const { service, texts, file, exported } = rig({ '一.txt': source, '二.txt': '《《now》》 it is' })
    for (const format of ['md', 'epub', 'docx'] as const) {
      await exported('a', { format })
      const [first = '', second = ''] = await service.importText('w', file(`a.${format}`))
      expect(texts[first], format).toBe(`${source}\n`)
      expect(texts[second], format).toMatch(/now.* it is\n$/)
    }
  })

  it('takes back titles with brackets that Aozora’s notes are written with', async () => {
    const names = ['「雨」と「雪', '終わり」は', '［一］＃《二》｜※']
    const { service, texts, file, exported } = rig(
      Object.fromEntries(names.map((name) => [`${name}.txt`, `${name}。\n`])),
    )
    await exported('a', { site: 'aozora' })
    const paths = await service.importText('w', file('a.txt'))
    expect(paths).toEqual(names.map((name, index) => `00${index + 1} ${name}.txt`))
    expect(paths.map((path) => texts[path])).toEqual(names.map((name) => `${name.replace('《', '｜《')}。\n`))
    await service.exportText('w', file('b'), { ...options, site: 'aozora' }, false, ['終わり」は.txt'])
    expect(await service.importText('w', file('b.txt'))).toEqual(['004 終わり」は.txt'])
  })

  it('reads an EPUB of another maker in its order, without its list of contents', async () => {
    const { service, texts, put } = rig({})
    const page = (body: string) =>
      strToU8(
        `<?xml version="1.0"?>\n<html><head><title>x</title><style>p {}</style></head>\n<body>${body}</body></html>`,
      )
    const zip = zipSync({
      mimetype: strToU8('application/epub+zip'),
      'META-INF/container.xml': strToU8(
        "<container><rootfiles><rootfile media-type='a' full-path='EPUB/content.opf'/></rootfiles></container>",
      ),
      'EPUB/content.opf': strToU8(
        `<opf:package><opf:manifest><opf:item href="text/b%20c.xhtml" id="two"/><opf:item id="one" href="text/a.xhtml"/>
         <opf:item id="toc" properties="nav" href="toc.xhtml"/><opf:item id="cover" href="cover.jpg"/></opf:manifest>
         <opf:spine><opf:itemref idref="toc"/><opf:itemref idref="one"/><opf:itemref idref="two"/></opf:spine></opf:package>`,
      ),
      'EPUB/toc.xhtml': page('<nav><ol><li>一</li></ol></nav>'),
      'EPUB/text/a.xhtml': page(
        '\n  <h1>一章</h1>\n  <p>　漢\n  字<ruby>親<rt>おや</rt>子<rt>こ</rt></ruby>&#x3002;</p>\n  <!-- <p>x</p> -->\n  <p><br /></p>\n  <p>a<i>b</i> &lt;c&gt;<br/>d</p>',
      ),
      'EPUB/text/b c.xhtml': page('<p>It is <em>now</em>.</p><div>End</div>'),
    })
    const paths = await service.importText('w', put('本.epub', zip))
    expect(paths.map((path) => texts[path])).toEqual([
      '　漢 字｜親《おや》｜子《こ》。\n\nab <c>\nd\n',
      'It is now.\nEnd\n',
    ])
    expect(paths[0]).toContain('一章')
  })

  it('reads the text of an EPUB with a picture among its pages and a sign in a name', async () => {
    const { service, texts, put } = rig({})
    const zip = zipSync({
      'META-INF/container.xml': strToU8("<container><rootfile full-path='a.opf'/></container>"),
      'a.opf': strToU8(
        `<package><manifest><item id="cover" href="cover.svg" media-type="image/svg+xml"/>
         <item id="one" href="100%雨.xhtml" media-type="application/xhtml+xml"/></manifest>
         <spine><itemref idref="cover"/><itemref idref="one"/></spine></package>`,
      ),
      'cover.svg': strToU8('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      '100%雨.xhtml': strToU8('<html><body><p>雨。</p></body></html>'),
    })
    const paths = await service.importText('w', put('本.epub', zip))
    expect(paths.map((path) => texts[path])).toEqual(['雨。\n'])
  })

  it('reads a text in its encoding and a site’s notation', async () => {
    const { service, texts, put } = rig({})
    const [path] = await service.importText('w', put('雨.txt', iconv.encode('漢字（かんじ）。', 'shift_jis')))
    expect(path).toBe('001 雨.txt')
    expect(texts['001 雨.txt']).toBe('漢字《かんじ》。\n')
  })

  it('parts Markdown at its headings', async () => {
    const { service, put } = rig({})
    expect(await service.importText('w', put('a.md', '# 一\nあ\n\n# 二/三\nい\n'))).toEqual([
      '001 一.txt',
      '002 二 三.txt',
    ])
  })

  it('makes all of its chapters or none', async () => {
    const { service, texts, put } = rig({})
    // A file that the work does not list has the name of the second one.
    Object.defineProperty(texts, '002 雪.txt', { value: '' })
    expect(await service.importText('w', put('a.md', '# 雨\nあ\n# 雪\nい\n')).catch(code)).toBe('file/exists')
    expect(Object.keys(texts)).toEqual([])
  })

  it('numbers its chapters anew, and leaves numbers that belong to a title', async () => {
    const { service, put } = rig({ '004.txt': '' })
    const titles = ['12', '3 雨', '07. 雪', '5_霧', '3日目', '100万回', '2.5章', '2024-05-01の日記']
    const text = titles.map((title) => `# ${title}\n文\n`).join('\n')
    expect(await service.importText('w', put('a.md', text))).toEqual([
      '005.txt',
      '006 雨.txt',
      '007 雪.txt',
      '008 霧.txt',
      '009 3日目.txt',
      '010 100万回.txt',
      '011 2.5章.txt',
      '012 2024-05-01の日記.txt',
    ])
  })

  it('names a chapter after its heading without the readings of it', async () => {
    const { service, put } = rig({})
    const heading = '<ruby>王都<rp>（</rp><rt>おうと</rt><rp>）</rp></ruby>の**夜**'
    const markdown = `# ${heading}\n\n雨。\n\n# 二\n\n雪。\n`
    expect(await service.importText('w', put('a.md', markdown))).toEqual(['001 王都の夜.txt', '002 二.txt'])
    const zip = zipSync({
      'META-INF/container.xml': strToU8('<rootfile full-path="a.opf"/>'),
      'a.opf': strToU8('<item id="a" href="a.xhtml"/><itemref idref="a"/>'),
      'a.xhtml': strToU8('<body><h1><ruby>王都<rt>おうと</rt></ruby>の夜</h1><p>雨。</p></body>'),
    })
    expect(await service.importText('w', put('a.epub', zip))).toEqual(['003 王都の夜.txt'])
  })

  it('takes the texts of an archive in natural order', async () => {
    const { service, texts, put } = rig({})
    const zip = zipSync({
      'x/10 終.txt': strToU8('終。'),
      'x/2 中.txt': strToU8('中。'),
      'x/cover.png': strToU8('no'),
    })
    expect(await service.importText('w', put('a.zip', zip))).toEqual(['001 中.txt', '002 終.txt'])
    expect(texts['002 終.txt']).toBe('終。\n')
  })

  it.each(['utf8', 'shift_jis'])(
    'names the texts of an archive whose names are %s without a sign',
    async (encoding) => {
      const { service, put } = rig({})
      const named = (name: string) => stored(Buffer.from('雨。'), 6, [iconv.encode(name, encoding)])
      const zip = archive([named('ソ/表 一.txt'), named('ソ/能.md')], { flags: 0 })
      expect(await service.importText('w', put('a.zip', zip))).toEqual(['001 能.txt', '002 表 一.txt'])
    },
  )

  it('takes the text of a project file', async () => {
    const { service, texts, put } = rig({})
    await service.importText(
      'w',
      put('p.json', JSON.stringify({ details: { title: '題' }, main_text: '本文' })),
    )
    expect(texts['001 題.txt']).toBe('本文\n')
  })

  it.each([
    ['a.docx', 'not a zip'],
    ['a.zip', 'not a zip'],
    ['a.epub', 'not a zip'],
    ['a.json', '{}'],
    ['a.txt', ''],
    ['a.txt', '\u0000\u0001\u0002\u0000'],
  ])('of %s without a text says so and makes nothing', async (name, content) => {
    const { service, texts, put } = rig({})
    expect(await service.importText('w', put(name, content)).catch(code)).toBe('work/bad-import')
    expect(texts).toEqual({})
  })

  it('of a folder fails as reading it does', async () => {
    const { service, file } = rig({})
    mkdirSync(file('d.txt'))
    expect(await service.importText('w', file('d.txt')).catch(code)).toBe('file/failed')
  })
})

/** Builds an archive whose directory may be false. Shape: each part is listed under each of its names. */
function archive(
  parts: readonly {
    names: readonly (string | Buffer)[]
    method: number
    data: Buffer
    length: number
    crc: number
  }[],
  { count, flags = 0x800 }: { count?: number; flags?: number } = {},
): Buffer {
  const u16 = (...values: number[]) => Buffer.from(new Uint16Array(values).buffer)
  const u32 = (...values: number[]) => Buffer.from(new Uint32Array(values).buffer)
  const files: Buffer[] = []
  const entries: Buffer[] = []
  let at = 0
  for (const { names, method, data, length, crc } of parts) {
    const sizes = Buffer.concat([u16(method), u32(0, crc, data.length, length)])
    const file = Buffer.concat([u32(0x04034b50), u16(20, 0), sizes, u16(0, 0), data])
    for (const name of names.map((each) => (typeof each === 'string' ? Buffer.from(each) : each))) {
      const head = Buffer.concat([u32(0x02014b50), u16(20, 20, flags), sizes, u16(name.length, 0, 0, 0, 0)])
      entries.push(Buffer.concat([head, u32(0, at), name]))
    }
    files.push(file)
    at += file.length
  }
  const directory = Buffer.concat(entries)
  const said = count ?? entries.length
  const end = Buffer.concat([u32(0x06054b50), u16(0, 0, said, said), u32(directory.length, at), u16(0)])
  return Buffer.concat([...files, directory, end])
}

const packed = (text: Buffer, length = text.length, names = ['a.txt']) => ({
  names,
  method: 8,
  data: deflateRawSync(text),
  length,
  crc: crc32(text),
})
const stored = (text: Buffer, length = text.length, names: readonly (string | Buffer)[] = ['a.txt']) => ({
  names,
  method: 0,
  data: text,
  length,
  crc: crc32(text),
})
const docx = (xml: string) => zipSync({ 'word/document.xml': strToU8(xml) })

describe('a foreign file that is made to stop the host', () => {
  it.each([
    ['blanks in a line', 'a.txt', `a${' '.repeat(200_000)}b`],
    ['line ends in a text', 'a.txt', `a${'\n'.repeat(200_000)}b`],
    ['more headings than a work has chapters', 'a.md', '# a\n'.repeat(200_000)],
    ['a heading of blanks', 'a.md', `# a${' '.repeat(300_000)}x`],
    ['notes of Aozora that do not end', 'a.txt', '［＃'.repeat(200_000)],
    ['marks of Aozora that do not end', 'a.txt', `［＃a］${'［＃傍点］'.repeat(200_000)}`],
    ['ruby that does not end', 'a.docx', docx('<w:ruby>'.repeat(200_000))],
    ['runs that do not end', 'a.docx', docx('<w:r>'.repeat(300_000))],
    ['elements in each other', 'a.docx', docx('<w:p>'.repeat(300_000))],
    ['brackets in each other', 'a.json', `{"main_text":${'['.repeat(500_000)}`],
  ])('is read in a limited time, while the host goes on: %s', async (_, name, content) => {
    const { service, texts, put } = rig({}, { thread: { ms: 200, mb: 512 } })
    const file = put(name, content)
    let turns = 0
    const turning = setInterval(() => void turns++, 10)
    const startedAt = performance.now()
    const answer = await service.importText('w', file).catch(code)
    clearInterval(turning)
    const tookMs = performance.now() - startedAt
    // Some of these files can be read.
    if (typeof answer === 'string') expect(['file/too-complex', 'work/bad-import']).toContain(answer)
    else expect(Object.keys(texts)).toEqual(answer)
    // A fast machine may have read it before the timer's fifth turn.
    expect(turns).toBeGreaterThanOrEqual(Math.min(5, Math.floor(tookMs / 50)))
  })

  const large = Buffer.alloc(10_000_000, 'a')
  const small = Buffer.from('本文。'.repeat(100))
  it.each([
    ['more than its directory says', archive([packed(large, 10)])],
    ['more than its directory says, by a little', archive([packed(small, small.length - 3)])],
    ['less than its directory says', archive([packed(small, small.length + 1)])],
    ['more than its directory says, not packed', archive([stored(small, 3)])],
    ['one text under thirty names', archive([stored(large, large.length, manyNames(30))])],
    ['another text than its checksum is of', archive([{ ...packed(small), crc: 1 }])],
    ['less than its directory counts', archive([packed(small)], { count: 9 })],
    ['as many texts as can be counted', archive([stored(Buffer.alloc(0), 0, manyNames(40_000))])],
    ['a way of packing that nobody knows', archive([{ ...stored(small), method: 99 }])],
  ])('has no text where an archive holds %s', async (_, bytes) => {
    const { service, texts, put } = rig({})
    expect(await service.importText('w', put('a.zip', bytes)).catch(code)).toBe('work/bad-import')
    expect(texts).toEqual({})
  })

  it('is cut nowhere in silence: each prefix and each changed byte of an archive is refused, or is the same text', () => {
    const whole = archive([packed(small), stored(Buffer.from('二。'), 6, ['b.txt'])])
    const read = (bytes: Uint8Array) => [
      ...readArchive(bytes, () => true, { files: 9, bytes: 10_000 }).values(),
    ]
    const texts = read(whole).map(String)
    expect(texts).toEqual([String(small), '二。'])
    for (let at = 0; at < whole.length; at += 1) {
      expect(() => read(whole.subarray(0, at)), `${at}`).toThrow()
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 0x15
      let found: string[] = []
      try {
        found = read(changed).map(String)
      } catch (error) {
        expect(error, `${at}`).toBeInstanceOf(Error)
      }
      for (const text of found) expect(texts, `${at}`).toContain(text)
    }
  })

  it.each(['9007199254740993 雨.txt', '99999999999999999999999.txt', `${'9'.repeat(200)}.txt`])(
    'finds a name for each chapter beside %s',
    async (name) => {
      const { service, put } = rig({ [name]: '' })
      const zip = zipSync({ '雨.txt': strToU8('一。'), 'x/雨.txt': strToU8('二。') })
      expect(await service.importText('w', put('a.zip', zip))).toEqual(['001 雨.txt', '002 雨.txt'])
    },
  )
})

function manyNames(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${at}.txt`)
}

it('an export replaces no file that came since it looked, and names its files so that every system takes them', async () => {
  const put: Disk = {
    ...nodeDisk,
    async realPath(path) {
      writeFileSync(join(path, 'a.txt'), 'theirs')
      return nodeDisk.realPath(path)
    },
  }
  const raced = rig({ ...chapters }, { disk: put })
  expect(await raced.exported('a', {}).catch(code)).toBe('file/changed')
  expect(readdirSync(raced.root)).toEqual(['a.txt'])
  expect(readFileSync(raced.file('a.txt'), 'utf8')).toBe('theirs')

  const hostile = rig({ '....txt': '一', [`${'𠮷'.repeat(62)}.txt`]: '二', 'nul.x.txt': '三' })
  expect(await hostile.exported('out', { isPerChapter: true, format: 'docx' })).toMatchObject({ count: 3 })
  for (const name of readdirSync(hostile.file('out'))) expect(() => checkNewName(name)).not.toThrow()
})
