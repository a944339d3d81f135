import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatTemplate, writeTinyGguf } from '../../../../tests/fakes/tiny-gguf.ts'
import { isAppError } from '../../../shared/errors.ts'
import { readGgufMetadata } from './gguf-metadata.ts'

let folder = ''
let good = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsugi-gguf-'))
  good = join(folder, 'good.gguf')
  writeTinyGguf(good, { name: '小さな猫', contextTokens: 1024 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function text(value: string): Buffer {
  return Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)])
}

function damaged(name: string, change: (bytes: Buffer) => Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, change(readFileSync(good)))
  return path
}

function withCount(bytes: Buffer, at: number, count: number): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeBigUInt64LE(BigInt(count), at)
  return changed
}

/** Fills eight bytes that are `distance` after a text. */
function changedAfter(bytes: Buffer, text: string, distance: number, fill: number): Buffer {
  const at = bytes.indexOf(text) + text.length + distance
  return Buffer.from(bytes).fill(fill, at, at + 8)
}

describe('readGgufMetadata', () => {
  it('reads what the file says of itself', async () => {
    expect(await readGgufMetadata(good)).toEqual({
      modelName: '小さな猫',
      contextTokens: 1024,
      languages: [],
      sizeBytes: readFileSync(good).length,
      chatTemplate,
      tokens: new Set(),
    })
  })

  it('finds wanted texts among the tokens, and keeps no others', async () => {
    const { tokens } = await readGgufMetadata(good, [
      '<|im_start|>',
      '<|im_ends|>',
      '<start_of_turn>',
      '　',
      'あ',
    ])
    expect(tokens).toEqual(new Set(['<|im_start|>', 'あ']))
  })

  it('tells a file without a vocabulary from one whose vocabulary lacks the texts', async () => {
    const path = damaged('no vocabulary.gguf', (bytes) => {
      const at = bytes.indexOf('tokenizer.ggml.tokens')
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from('tokenizer.ggml.tokenz'),
        bytes.subarray(at + 21),
      ])
    })
    expect((await readGgufMetadata(path, ['<|im_start|>'])).tokens).toBeNull()
  })

  it.each([
    ['no GGUF', (bytes: Buffer) => Buffer.concat([Buffer.from('PK'), bytes.subarray(2)])],
    ['empty', () => Buffer.alloc(0)],
    ['cut in the vocabulary', (bytes: Buffer) => bytes.subarray(0, 3000)],
    ['a length beyond the file', (bytes: Buffer) => Buffer.from(bytes).fill(0xff, 24, 32)],
    ['a count without end', (bytes: Buffer) => Buffer.from(bytes).fill(0xff, 16, 24)],
    ['tensors without end', (bytes: Buffer) => Buffer.from(bytes).fill(0xff, 8, 16)],
    ['more tensors than there are', (bytes: Buffer) => withCount(bytes, 8, 40_000)],
    ['tensors that are not there', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['a list without end', (bytes: Buffer) => changedAfter(bytes, 'tokenizer.ggml.tokens', 8, 0xff)],
    ['a name without end', (bytes: Buffer) => changedAfter(bytes, 'token_embd', 7 + 4 + 8, 0xff)],
  ])('calls a damaged file damaged: %s', async (name, change) => {
    const path = damaged(`${name}.gguf`, change)
    await expect(readGgufMetadata(path)).rejects.toMatchObject({ info: { code: 'model/bad-file', path } })
  })

  it.each([
    ['texts that nobody asks for', (at: number) => [text(`k${at}`), u32(8)]],
    ['one text again and again', () => [text('tokenizer.chat_template'), u32(8)]],
    ['languages', () => [text('general.languages'), u32(9), u32(8), u64(1)]],
    ['keys', () => []],
  ])('keeps nothing of a file that is full of %s', async (name, before) => {
    const path = join(folder, `${name}.gguf`)
    const file = openSync(path, 'w')
    let end = 0
    const put = (...parts: Buffer[]): void => {
      const bytes = Buffer.concat(parts)
      writeSync(file, bytes, 0, bytes.length, end)
      end += bytes.length
    }
    put(Buffer.from('GGUF'), u32(3), u64(0), u64(400))
    for (let at = 0; at < 400; at += 1) {
      put(...before(at), u64(16 * 1024 * 1024))
      // A hole: the file takes next to no room.
      end += 16 * 1024 * 1024
    }
    ftruncateSync(file, end)
    closeSync(file)
    const used = process.memoryUsage().rss
    await readGgufMetadata(path).catch((error: unknown) =>
      expect(isAppError(error, 'model/bad-file')).toBe(true),
    )
    expect(process.memoryUsage().rss - used).toBeLessThan(200_000_000)
  })

  it('takes no number of tokens that is none, and shows a long name in part', async () => {
    const path = join(folder, 'odd.gguf')
    const read = async (kind: number, value: Buffer) => {
      const pairs = [
        text('general.architecture'),
        u32(8),
        text('llama'),
        text('llama.context_length'),
        u32(kind),
        value,
      ]
      const name = [text('general.name'), u32(8), text('名'.repeat(100_000))]
      writeFileSync(path, Buffer.concat([Buffer.from('GGUF'), u32(3), u64(0), u64(3), ...pairs, ...name]))
      return readGgufMetadata(path)
    }
    for (const [kind, value] of [
      [5, Buffer.from([0xfb, 0xff, 0xff, 0xff])],
      [6, Buffer.from([0, 0, 0xc0, 0x7f])],
      [4, u32(0)],
      [10, Buffer.alloc(8, 0xff)],
      [8, text('many')],
      [7, Buffer.from([1])],
    ] as const)
      expect((await read(kind, value)).contextTokens).toBeNull()
    const { contextTokens, modelName } = await read(10, u64(131_072))
    expect(contextTokens).toBe(131_072)
    expect(modelName.length).toBeLessThanOrEqual(201)
  })

  it('says that a file is not there', async () => {
    const path = join(folder, 'missing.gguf')
    await expect(readGgufMetadata(path)).rejects.toMatchObject({ info: { code: 'file/not-found', path } })
  })
})
