import { ChangeSet, Text } from '@codemirror/state'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { isAppError } from '../../../shared/errors.ts'
import { detectEncoding } from './encodings.ts'
import { readTextFile, type TextFile, writeTextFile } from './text-file.ts'

const prose = '　吾輩は猫である。名前はまだ無い。\nどこで生れたかとんと見当がつかぬ。\n「ニャー」と泣いた。'

function change(file: TextFile, from: number, to: number, insert: string): TextFile {
  const changes = ChangeSet.of({ from, to, insert: Text.of(insert.split('\n')) }, file.doc.length)
  file.spelling?.apply(changes, file.doc)
  return { ...file, doc: changes.apply(file.doc) }
}

describe('reading and writing texts', () => {
  const spelled: [string, Buffer, string, boolean][] = [
    ['utf-8', Buffer.from(prose), 'utf-8', false],
    ['utf-8 with BOM', Buffer.from(`\ufeff${prose}`), 'utf-8', true],
    ['utf-16le with BOM', iconv.encode(prose, 'utf16le', { addBOM: true }), 'utf-16le', true],
    ['utf-16be with BOM', iconv.encode(prose, 'utf16be', { addBOM: true }), 'utf-16be', true],
    ['utf-16le without BOM', Buffer.from(prose, 'utf16le'), 'utf-16le', false],
    ['shift_jis', iconv.encode(prose, 'cp932'), 'shift_jis', false],
    ['euc-jp', iconv.encode(prose, 'eucjp'), 'euc-jp', false],
    ['empty', Buffer.alloc(0), 'utf-8', false],
  ]
  it.each(spelled)('keeps %s through an edit', (_name, bytes, encoding, hasBom) => {
    const file = readTextFile(bytes, 'a.txt')
    expect(file.format).toMatchObject({ encoding, hasBom })
    expect(writeTextFile(file, 'a.txt').equals(bytes)).toBe(true)
    const edited = change(file, 0, 0, '追記')
    const again = readTextFile(writeTextFile(edited, 'a.txt'), 'a.txt')
    expect(again.doc.toString()).toBe(edited.doc.toString())
    if (bytes.length > 0) expect(again.format).toEqual(file.format)
  })

  it.each(['\n', '\r\n', '\r'])('keeps line ends %j', (end) => {
    const bytes = Buffer.from(`一${end}二${end}`)
    const file = readTextFile(bytes, 'a.txt')
    expect(file.doc.toString()).toBe('一\n二\n')
    expect(writeTextFile(change(file, 1, 1, '\n新'), 'a.txt').toString()).toBe(`一${end}新${end}二${end}`)
  })

  it('leaves the bytes of untouched lines alone where line ends are mixed', () => {
    const file = readTextFile(Buffer.from('a\r\nb\nc\rd'), 'a.txt')
    expect(file.format.lineEnd).toBe('mixed')
    expect(writeTextFile(change(file, 2, 3, 'B'), 'a.txt').toString()).toBe('a\r\nB\nc\rd')
    const inserted = change(readTextFile(Buffer.from('a\r\nb\nc\rd'), 'a.txt'), 1, 1, '\nx\ny')
    expect(writeTextFile(inserted, 'a.txt').toString()).toBe('a\r\nx\r\ny\r\nb\nc\rd')
  })

  it('keeps a second code of a character in the lines that were not touched', () => {
    // 0x8790 and 0x81e0 are both ≒; the encoder only writes one of them.
    const bytes = Buffer.concat([Buffer.from([0x87, 0x90, 0x0a]), iconv.encode('二行目\n三行目', 'cp932')])
    const file = readTextFile(bytes, 'a.txt')
    expect(file.doc.line(1).text).toBe('≒')
    expect(writeTextFile(file, 'a.txt').equals(bytes)).toBe(true)
    const edited = writeTextFile(change(file, 4, 5, '壱'), 'a.txt')
    expect(edited.subarray(0, 3)).toEqual(Buffer.from([0x87, 0x90, 0x0a]))
  })

  it('asks instead of writing ? for a character that the encoding lacks', () => {
    const file = change(readTextFile(iconv.encode(prose, 'cp932'), 'a.txt'), 0, 0, '😀〜?')
    const info = failure(() => writeTextFile(file, 'a.txt'))
    expect(info).toEqual({ code: 'file/unencodable', path: 'a.txt', encoding: 'shift_jis', sample: '😀〜' })
  })

  it('asks for half of a surrogate pair, which UTF-8 cannot spell', () => {
    const file = change(readTextFile(Buffer.from('a'), 'a.txt'), 0, 0, '\ud83d')
    expect(failure(() => writeTextFile(file, 'a.txt'))).toMatchObject({ code: 'file/unencodable' })
  })

  it.each([
    ['zero bytes', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13])],
    ['bytes of no encoding', Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
    ['bytes that none of them take', Buffer.from([0x41, 0xff, 0xff, 0x80, 0xfd])],
  ])('says that %s are no text', (_name, bytes) => {
    expect(failure(() => readTextFile(bytes, 'a.bin'))).toEqual({ code: 'file/not-text', path: 'a.bin' })
  })

  it('tells EUC-JP from Shift_JIS by what reads as Japanese', () => {
    for (const text of ['あ', '日本語', 'カタカナだけ', '縁側に居た。\n', '「はい」']) {
      expect(detectEncoding(iconv.encode(text, 'eucjp'))?.encoding).toBe('euc-jp')
      expect(detectEncoding(iconv.encode(text, 'cp932'))?.encoding).toBe('shift_jis')
    }
  })

  it('keeps an emptied line between CR and LF, which would be read as one line end', () => {
    const file = readTextFile(Buffer.from('a\rb\nc\r\n'), 'a.txt')
    expect(writeTextFile(change(file, 2, 3, ''), 'a.txt').toString()).toBe('a\r\rc\r\n')
  })

  it('writes each line once where a line is inserted right before a removed line end', () => {
    const file = readTextFile(Buffer.from('x\r\n\nab\n'), 'a.txt')
    const changes = ChangeSet.of(
      [
        { from: 2, insert: Text.of(['', '']) },
        { from: 2, to: 3 },
      ],
      file.doc.length,
    )
    file.spelling?.apply(changes, file.doc)
    const doc = changes.apply(file.doc)
    expect(
      writeTextFile({ ...file, doc }, 'a.txt')
        .toString()
        .replaceAll('\r\n', '\n'),
    ).toBe(doc.toString())
  })

  it('spells random edits of a mixed file as the lines themselves say', () => {
    const random = seededRandom(7)
    const pick = (count: number): number => Math.floor(random() * count)
    for (let round = 0; round < 200; round++) {
      const ends = ['\n', '\r\n', '\r']
      const lines = Array.from({ length: 1 + pick(6) }, (_, i) => `${i}${'あ'.repeat(pick(3))}`)
      const source = lines.map((line, i) => line + (i === lines.length - 1 ? '' : ends[pick(3)])).join('')
      let file = readTextFile(iconv.encode(source, 'cp932'), 'a.txt')
      for (let edit = 0; edit < 5; edit++) {
        const from = pick(file.doc.length + 1)
        const to = from + pick(file.doc.length - from + 1)
        file = change(file, from, to, ['', 'x', '\n', 'い\nう', '\n\n', '終\n'][pick(6)] ?? '')
      }
      const written = readTextFile(writeTextFile(file, 'a.txt'), 'a.txt')
      expect(written.doc.toString()).toBe(file.doc.toString())
    }
  })
})

function failure(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return isAppError(error) ? error.info : error
  }
  return 'nothing was thrown'
}
