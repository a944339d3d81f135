import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatTemplate, writeTinyGguf } from '../../../../tests/fakes/tiny-gguf.ts'
import { readGgufMetadata } from './gguf-metadata.ts'

let folder = ''
let good = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsugi-gguf-'))
  good = join(folder, 'good.gguf')
  writeTinyGguf(good, { name: '小さな猫', contextTokens: 1024 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

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

/** Fills eight bytes that lie `distance` behind a text. */
function changedAfter(bytes: Buffer, text: string, distance: number, fill: number): Buffer {
  const at = bytes.indexOf(text) + text.length + distance
  return Buffer.from(bytes).fill(fill, at, at + 8)
}

describe('readGgufMetadata', () => {
  it('reads what the file says of itself', async () => {
    expect(await readGgufMetadata(good)).toEqual({
      modelName: '小さな猫',
      architecture: 'llama',
      contextTokens: 1024,
      languages: [],
      fileType: 0,
      sizeBytes: readFileSync(good).length,
      chatTemplate,
    })
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

  it('says that a file is not there', async () => {
    const path = join(folder, 'missing.gguf')
    await expect(readGgufMetadata(path)).rejects.toMatchObject({ info: { code: 'file/not-found', path } })
  })
})
