import { describe, expect, it, onTestFinished } from 'vitest'
import { undoStage } from '../../../../tests/fakes/rigs/undo-stage.ts'
import type { TextEncoding } from '../../../shared/domain/work/text-encoding.ts'
import { detectEncoding, encodeText } from '../../platform/files/encodings.ts'
import { undoneBytes, undoneText } from './undo-text.ts'

/** The content that undo makes; `a:` the assistant made this version, `u:` the user. */
function undone(first: string, ...versions: string[]): string | undefined {
  const known = versions.map((version) => ({
    bytes: Buffer.from(version.slice(2)),
    author: version.startsWith('a:') ? ('assistant' as const) : ('user' as const),
  }))
  return undoneText(Buffer.from(first), known, new Map())?.text
}

describe('an undo in a text', () => {
  it('gives a last line without a line end that of the file where a line comes back behind it', () => {
    expect(undone('x\r\na\r\nb', 'a:x\r\na', 'u:X\r\na')).toBe('X\r\na\r\nb')
    expect(undone('a\r\nb', 'a:a', 'u:A')).toBe('A\r\nb')
    expect(undone('x\na\nb', 'a:x\na', 'u:X\na')).toBe('X\na\nb')
  })

  it('takes back what a command wrote into a file of very many lines', () => {
    const many = 'line\n'.repeat(150_000)
    expect(undone('', `a:${many}`, `u:${many}mine\n`)).toBe('mine\n')
  })

  it('keeps two lines apart where the first of them was the last one in between, without a line end', () => {
    expect(undone('x\na\nc', 'a:x\na', 'a:x\nc\nb\nb', 'u:X\nc\nb\nb')).toBe('X\na\nc')
    expect(undone('x\r\na\r\nc', 'a:x\r\na', 'a:x\r\nc\r\nb\r\nb', 'u:X\r\nc\r\nb\r\nb')).toBe('X\r\na\r\nc')
  })
})

/** Shape: encoding and text of the content that undo makes; the versions as `undone` has them, with their encodings. */
function spelled(...versions: (readonly [TextEncoding, string])[]): [TextEncoding, string] | undefined {
  const [first, ...others] = versions.map(([encoding, text], index) => ({
    bytes: encodeText(index === 0 ? text : text.slice(2), encoding),
    author: text.startsWith('a:') ? ('assistant' as const) : ('user' as const),
  }))
  const undone = undoneText(first?.bytes ?? new Uint8Array(), others, new Map())
  const found = undone && detectEncoding(undoneBytes(undone, 'a.txt'))
  return found && [found.encoding, found.text]
}

describe('the encoding of an undone text', () => {
  it('is that from before the assistant, whatever the assistant made of it', () => {
    expect(
      spelled(['utf-8', '雨😀\n1\n'], ['shift_jis', 'a:雨です\n1\n'], ['shift_jis', 'u:雨です\n1\n風\n']),
    ).toEqual(['utf-8', '雨😀\n1\n風\n'])
    expect(spelled(['shift_jis', '雨です\n1\n'], ['utf-8', 'a:1\n'], ['utf-8', 'u:1\nx\n'])).toEqual([
      'shift_jis',
      '雨です\n1\nx\n',
    ])
  })

  it('is the one that the user gave it since', () => {
    expect(spelled(['utf-8', '雨\n1\n'], ['utf-8', 'a:雨\n2\n'], ['shift_jis', 'u:雨です\n2\n'])).toEqual([
      'shift_jis',
      '雨です\n1\n',
    ])
  })

  it('is named where it lacks a character of the text', () => {
    expect(() =>
      spelled(['utf-8', '😀\n1\n2\n'], ['utf-8', 'a:1\n2\n'], ['shift_jis', 'u:1\n2\n雨です\n']),
    ).toThrow(
      expect.objectContaining({
        info: { code: 'file/unencodable', path: 'a.txt', encoding: 'shift_jis', sample: '😀' },
      }),
    )
  })
})

function stage(files: Record<string, string> = {}) {
  const made = undoStage(files)
  onTestFinished(made.close)
  return made
}

describe('the files of a turn', () => {
  it('are named once each, from the first text to the last', async () => {
    const { assistant, files } = stage({ a: '1\n2\n', b: 'B\n' })
    const ids = [
      await assistant.write('a', 'X\n2\n'),
      await assistant.write('b', 'Z\n'),
      await assistant.write('a', 'X\nY\n'),
    ]
    expect(await files(ids)).toEqual([
      { path: 'a', from: null, texts: { old: '1\n2\n', new: 'X\nY\n' } },
      { path: 'b', from: null, texts: { old: 'B\n', new: 'Z\n' } },
    ])
  })

  it('tell nothing of what the user wrote between two edits', async () => {
    const { assistant, user, files } = stage({ a: '1\n2\n3\n' })
    const first = await assistant.write('a', 'X\n2\n3\n')
    user.append('a', 'mine\n')
    const second = await assistant.write('a', 'X\n2\nY\nmine\n')
    expect(await files([first, second])).toMatchObject([
      { texts: { old: '1\n2\n3\nmine\n', new: 'X\n2\nY\nmine\n' } },
    ])
  })

  it('stay known after an undo, and a later turn adds nothing', async () => {
    const { assistant, undo, files } = stage({ a: '1\n' })
    const first = await assistant.write('a', '2\n')
    const later = await assistant.write('a', '3\n')
    await undo([first, later])
    expect(await files([first])).toMatchObject([{ path: 'a', texts: { old: '1\n', new: '2\n' } }])
  })

  it('that were made, moved or deleted say so by their texts and paths', async () => {
    const { assistant, files } = stage({ a: 'A\n', gone: 'G\n' })
    const ids = [
      await assistant.write('made', 'M\n'),
      await assistant.move('a', 'b'),
      await assistant.write('b', 'B\n'),
      await assistant.remove('gone'),
    ]
    expect(await files(ids)).toEqual([
      { path: 'made', from: null, texts: { old: null, new: 'M\n' } },
      { path: 'b', from: 'a', texts: { old: 'A\n', new: 'B\n' } },
      { path: 'gone', from: null, texts: { old: 'G\n', new: null } },
    ])
  })

  it('that are no text, or too long to show, have no texts', async () => {
    const { assistant, files } = stage({ long: 'x\n', binary: 'a\0b' })
    const ids = [
      await assistant.write('long', 'x'.repeat(1_000_001)),
      await assistant.write('binary', 'a\0\u0001c'),
    ]
    expect((await files(ids)).map(({ texts }) => texts)).toEqual([null, null])
  })
})
