import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { type ByteReader, FileBytes } from './file-bytes.ts'

/** What a model file says about itself. Null: it does not say. Units: tokens, bytes. */
export type GgufMetadata = {
  modelName: string
  architecture: string | null
  contextTokens: number | null
  /** BCP 47 tags, from `general.languages`. */
  languages: string[]
  fileType: number | null
  sizeBytes: number
  chatTemplate: string | null
}

type Scalar = number | bigint | boolean | string
const magic = 0x46554747
const readers: Record<number, (bytes: ByteReader) => Promise<Scalar>> = {
  0: (bytes) => bytes.u8(),
  1: (bytes) => bytes.i8(),
  2: (bytes) => bytes.u16(),
  3: (bytes) => bytes.i16(),
  4: (bytes) => bytes.u32(),
  5: (bytes) => bytes.i32(),
  6: (bytes) => bytes.f32(),
  7: async (bytes) => (await bytes.u8()) !== 0,
  8: (bytes) => readString(bytes),
  10: (bytes) => bytes.u64(),
  11: (bytes) => bytes.i64(),
  12: (bytes) => bytes.f64(),
}
const fixedSizes: Record<number, number> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
}
const arrayType = 9
const mostPairs = 100_000
const longestStringBytes = 16 * 1024 * 1024

/**
 * Reads the head of a GGUF file; vocabularies are skipped, weights never read.
 *
 * Errors: `model/bad-file` for what is no GGUF, is cut short or contradicts itself; `file/not-found`.
 * Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3.
 */
export async function readGgufMetadata(path: string): Promise<GgufMetadata> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new AppError({ code: 'file/not-found', path }, { cause: error })
    throw bad(path, error.message, error)
  })
  try {
    const { size } = await handle.stat()
    const pairs = await readPairs(new FileBytes(handle, size))
    return describe(path, size, pairs)
  } catch (error) {
    throw error instanceof AppError ? error : bad(path, error instanceof Error ? error.message : '', error)
  } finally {
    await handle.close()
  }
}

async function readPairs(bytes: ByteReader): Promise<Map<string, Scalar | string[]>> {
  if ((await bytes.u32()) !== magic) throw new Error('not a GGUF file')
  const version = await bytes.u32()
  if (version !== 2 && version !== 3) throw new Error(`GGUF version ${version}`)
  await bytes.u64()
  const count = await bytes.u64()
  if (count > BigInt(mostPairs)) throw new Error('damaged: too many entries')
  const pairs = new Map<string, Scalar | string[]>()
  for (let index = 0n; index < count; index += 1n) {
    const key = await readString(bytes)
    const value = await readValue(bytes, await bytes.u32(), key)
    if (value !== null) pairs.set(key, value)
  }
  return pairs
}

/** Lists are skipped, but for the languages. */
async function readValue(bytes: ByteReader, type: number, key: string): Promise<Scalar | string[] | null> {
  const read = readers[type]
  if (read !== undefined) return read(bytes)
  if (type !== arrayType) throw new Error(`damaged: value of type ${type}`)
  const itemType = await bytes.u32()
  const length = Number(await bytes.u64())
  const isWanted = key === 'general.languages' && itemType === 8
  const fixed = fixedSizes[itemType]
  if (fixed !== undefined) {
    bytes.skip(fixed * length)
    return null
  }
  if (itemType !== 8) throw new Error(`damaged: list of type ${itemType}`)
  const items: string[] = []
  for (let index = 0; index < length; index += 1) {
    if (isWanted) items.push(await readString(bytes))
    else bytes.skip(Number(await bytes.u64()))
  }
  return isWanted ? items : null
}

async function readString(bytes: ByteReader): Promise<string> {
  const length = Number(await bytes.u64())
  if (length > longestStringBytes) throw new Error('damaged: a text without end')
  return bytes.text(length)
}

function describe(path: string, sizeBytes: number, pairs: Map<string, Scalar | string[]>): GgufMetadata {
  const text = (key: string) => {
    const value = pairs.get(key)
    return typeof value === 'string' && value.trim() !== '' ? value : null
  }
  const number = (key: string) => {
    const value = pairs.get(key)
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null
  }
  const architecture = text('general.architecture')
  const languages = pairs.get('general.languages')
  return {
    modelName: text('general.name') ?? basename(path).replace(/\.gguf$/i, ''),
    architecture,
    contextTokens: architecture === null ? null : number(`${architecture}.context_length`),
    languages: Array.isArray(languages) ? languages : [],
    fileType: number('general.file_type'),
    sizeBytes,
    chatTemplate: text('tokenizer.chat_template'),
  }
}

function bad(path: string, reason: string, cause: unknown): AppError {
  return new AppError({ code: 'model/bad-file', path, reason }, { cause })
}
