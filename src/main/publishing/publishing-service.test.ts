import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { strToU8, zipSync } from 'fflate'
import iconv from 'iconv-lite'
import JSZip from 'jszip'
import mammoth from 'mammoth'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/temp-folder.ts'
import type { ExportOptions } from '../../shared/domain/work/publishing.ts'
import type { Work } from '../../shared/domain/work/work.ts'
import { AppError } from '../../shared/errors.ts'
import { type Disk, nodeDisk } from '../platform/files/disk.ts'
import { checkNewName } from '../platform/files/real-path.ts'
import { createPublishing } from './publishing-service.ts'

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

function rig(texts: Record<string, string> = { ...chapters }, disk: Disk = nodeDisk) {
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
      async createFile(_, path, text = '') {
        texts[path] = text
        return { path }
      },
    },
    async read({ path }) {
      return { text: texts[path] ?? '' }
    },
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
  it('takes back what was exported as Word, notation and all', async () => {
    const { service, texts, file, exported } = rig()
    await exported('a', { format: 'docx' })
    const paths = await service.importText('w', file('a.docx'))
    expect(paths).toEqual(['003 雨.txt', '004 & 終わり.txt'])
    expect(texts['003 雨.txt']).toBe('　｜王都《おうと》に雨が降る。\n\n「《《走れ》》」と<彼>は言った。\n')
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

it('an export replaces no file that came since it looked, and names its files so that every system takes them', async () => {
  const put: Disk = {
    ...nodeDisk,
    async realPath(path) {
      writeFileSync(join(path, 'a.txt'), 'theirs')
      return nodeDisk.realPath(path)
    },
  }
  const raced = rig({ ...chapters }, put)
  expect(await raced.exported('a', {}).catch(code)).toBe('file/changed')
  expect(readdirSync(raced.root)).toEqual(['a.txt'])
  expect(readFileSync(raced.file('a.txt'), 'utf8')).toBe('theirs')

  const hostile = rig({ '....txt': '一', [`${'𠮷'.repeat(62)}.txt`]: '二', 'nul.x.txt': '三' })
  expect(await hostile.exported('out', { isPerChapter: true, format: 'docx' })).toMatchObject({ count: 3 })
  for (const name of readdirSync(hostile.file('out'))) expect(() => checkNewName(name)).not.toThrow()
})
