import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'
import { errorCode } from '../../platform/files/disk.ts'
import { openRegularFile } from '../../platform/files/read-regular-file.ts'

/** Metadata that a model file has about itself. Null: not in the file. Units: tokens, bytes. */
type GgufMetadata = {
  modelName: string
  contextTokens: number | null
  /** BCP 47 tags, from `general.languages`. */
  languages: string[]
  sizeBytes: number
  chatTemplate: string | null
  /** Those of the wanted texts that are tokens of the model; null where the file has no vocabulary. */
  tokens: ReadonlySet<string> | null
}

type Scalar = number | bigint | boolean | string
const magic = 0x46554747
/** Types of values with a fixed size, by their number in the format. */
const fixedTypes: Record<number, { sizeBytes: number; read(bytes: Buffer): Scalar }> = {
  0: { sizeBytes: 1, read: (bytes) => bytes.readUInt8() },
  1: { sizeBytes: 1, read: (bytes) => bytes.readInt8() },
  2: { sizeBytes: 2, read: (bytes) => bytes.readUInt16LE() },
  3: { sizeBytes: 2, read: (bytes) => bytes.readInt16LE() },
  4: { sizeBytes: 4, read: (bytes) => bytes.readUInt32LE() },
  5: { sizeBytes: 4, read: (bytes) => bytes.readInt32LE() },
  6: { sizeBytes: 4, read: (bytes) => bytes.readFloatLE() },
  7: { sizeBytes: 1, read: (bytes) => bytes.readUInt8() !== 0 },
  10: { sizeBytes: 8, read: (bytes) => bytes.readBigUInt64LE() },
  11: { sizeBytes: 8, read: (bytes) => bytes.readBigInt64LE() },
  12: { sizeBytes: 8, read: (bytes) => bytes.readDoubleLE() },
}
const textType = 8
const arrayType = 9
const keptKeys: ReadonlySet<string> = new Set([
  'general.name',
  'general.architecture',
  'general.languages',
  'general.alignment',
  'tokenizer.chat_template',
])
const vocabularyKey = 'tokenizer.ggml.tokens'
/** Maximum length of the key of a context length, which begins with an architecture. Units: UTF-16 code units. */
const longestContextKey = 200
const mostPairs = 100_000
/** Maximum lengths of a key, as the format has it, and of a text; the longest templates have some 10,000 characters. */
const longestNameBytes = 65_535
const longestTextBytes = 1024 * 1024
/** Limits for language tags and for the name that is shown. Units: tags, bytes, UTF-16 code units. */
const kept = { languages: 100, languageBytes: 100, modelName: 200 } as const
const mostContextTokens = 2 ** 31
/** Maximum length of a list: the largest vocabularies have a quarter of a million tokens, and some more merges. */
const mostItems = 4_000_000
const mostTensors = 100_000
const mostDimensions = 4
/** Least sizes of a pair, of an item in a list of texts, and of the entry of a tensor. */
const leastPairBytes = 8n + 4n + 1n
const leastTextBytes = 8
const leastTensorBytes = 8n + 4n + 4n + 8n
/** The densest formats have more than one bit for each weight. */
const mostWeightsPerByte = 8n
/** Time limit for reading a head, which may have megabytes on a slow disk. */
const headMs = 20_000

/**
 * Reads the head of a GGUF file; of its vocabulary only the texts of `wanted` are kept, weights are never read.
 *
 * Every count is checked against the file's size before a loop uses it, and so are the tensors' places, so that an
 * accepted file claims nothing that it cannot hold. Only the values that are used below are kept, so that the memory
 * for reading does not grow with the file.
 *
 * Errors: `model/bad-file` for a file that is not GGUF, is cut short or contradicts itself; `file/not-found`.
 * Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3.
 */
export async function readGgufMetadata(path: string, wanted: readonly string[] = []): Promise<GgufMetadata> {
  const { file, sizeBytes } = await openRegularFile(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') throw new AppError({ code: 'file/not-found', path }, { cause: error })
    const isNoFile = isAppError(error, 'file/failed')
    throw bad(path, isNoFile ? error.info.reason : error instanceof Error ? error.message : '', error)
  })
  try {
    const bytes = new FileBytes(file, sizeBytes, AbortSignal.timeout(headMs))
    const { pairs, tensorCount } = await readPairs(bytes, new Set(wanted))
    await checkTensors(bytes, tensorCount, alignmentOf(pairs))
    return describe(path, sizeBytes, pairs)
  } catch (error) {
    throw error instanceof AppError ? error : bad(path, error instanceof Error ? error.message : '', error)
  } finally {
    await file.close()
  }
}

type Pairs = Map<string, Scalar | string[]>

async function readPairs(bytes: FileBytes, wanted: ReadonlySet<string>) {
  if ((await bytes.u32()) !== magic) throw new Error('not a GGUF file')
  const version = await bytes.u32()
  if (version !== 2 && version !== 3) throw new Error(`GGUF version ${version}`)
  const tensorCount = await bytes.u64()
  const count = await bytes.u64()
  if (tensorCount > BigInt(mostTensors) || tensorCount * leastTensorBytes > BigInt(bytes.sizeBytes))
    throw new Error('damaged: too many tensors')
  if (count > BigInt(mostPairs) || count * leastPairBytes > BigInt(bytes.sizeBytes))
    throw new Error('damaged: too many entries')
  const pairs: Pairs = new Map()
  for (let index = 0n; index < count; index += 1n) {
    const key = await bytes.string(longestNameBytes)
    const value = await readValue(bytes, await bytes.u32(), key, wanted)
    if (value !== null && isKept(key)) pairs.set(key, value)
  }
  return { pairs, tensorCount }
}

/** Reads the entry of each tensor: its data must fit into the file after the head. */
async function checkTensors(bytes: FileBytes, count: bigint, alignment: bigint): Promise<void> {
  let end = 0n
  for (let index = 0n; index < count; index += 1n) {
    await bytes.string(longestNameBytes)
    const dimensions = await bytes.u32()
    if (dimensions > mostDimensions) throw new Error('damaged: too many dimensions')
    let weights = 1n
    for (let at = 0; at < dimensions; at += 1) weights *= await bytes.u64()
    await bytes.u32()
    const offset = await bytes.u64()
    // Most formats need more; the least size is enough to refuse a file that is cut short.
    const least = offset + weights / mostWeightsPerByte
    if (least > end) end = least
  }
  const head = BigInt(bytes.position)
  const dataFrom = ((head + alignment - 1n) / alignment) * alignment
  if (end > 0n && dataFrom + end > BigInt(bytes.sizeBytes)) throw new Error('damaged: it ends too early')
}

/** Returns the alignment; 32 where the file has none. Source: the GGUF format, `general.alignment`. */
function alignmentOf(pairs: Pairs): bigint {
  const value = pairs.get('general.alignment')
  const alignment = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 32
  if (!Number.isInteger(alignment) || alignment < 1 || alignment > 1024 * 1024)
    throw new Error('damaged: alignment')
  return BigInt(alignment)
}

/** Reads a value; lists are skipped, except for the languages and the wanted tokens. */
async function readValue(
  bytes: FileBytes,
  type: number,
  key: string,
  wanted: ReadonlySet<string>,
): Promise<Scalar | string[] | null> {
  if (type === textType && !isKept(key)) {
    bytes.skip(Number(await bytes.u64()))
    return null
  }
  if (type === textType) return bytes.string(longestTextBytes)
  const single = fixedTypes[type]
  if (single !== undefined) return single.read(await bytes.take(single.sizeBytes))
  if (type !== arrayType) throw new Error(`damaged: value of type ${type}`)
  const itemType = await bytes.u32()
  const length = Number(await bytes.u64())
  if (length > mostItems) throw new Error('damaged: a list without end')
  const isWanted = key === 'general.languages' && itemType === textType
  const fixed = fixedTypes[itemType]
  if (fixed !== undefined) {
    bytes.skip(fixed.sizeBytes * length)
    return null
  }
  if (itemType !== textType) throw new Error(`damaged: list of type ${itemType}`)
  if (length * leastTextBytes > bytes.sizeBytes - bytes.position)
    throw new Error('damaged: it ends too early')
  if (key === vocabularyKey) return readTokens(bytes, length, wanted)
  const items: string[] = []
  for (let index = 0; index < length; index += 1) {
    if (isWanted && index < kept.languages) items.push(await bytes.string(kept.languageBytes))
    else bytes.skip(Number(await bytes.u64()))
  }
  return isWanted ? items : null
}

/** Reads a vocabulary, of which only texts with the length of a wanted one are read. */
async function readTokens(bytes: FileBytes, length: number, wanted: ReadonlySet<string>): Promise<string[]> {
  const sizes = new Set([...wanted].map((text) => Buffer.byteLength(text)))
  const found = new Set<string>()
  for (let index = 0; index < length; index += 1) {
    const size = Number(await bytes.u64())
    if (!sizes.has(size)) {
      bytes.skip(size)
      continue
    }
    const text = (await bytes.take(size)).toString('utf8')
    if (wanted.has(text)) found.add(text)
  }
  return [...found]
}

function isKept(key: string): boolean {
  return (
    keptKeys.has(key) ||
    key === vocabularyKey ||
    (key.length <= longestContextKey && key.endsWith('.context_length'))
  )
}

function describe(path: string, sizeBytes: number, pairs: Pairs): GgufMetadata {
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
  const vocabulary = pairs.get(vocabularyKey)
  return {
    modelName: clipLine(text('general.name') ?? basename(path).replace(/\.gguf$/i, ''), kept.modelName),
    contextTokens: architecture === null ? null : tokens(number(`${architecture}.context_length`)),
    languages: Array.isArray(languages) ? languages : [],
    sizeBytes,
    chatTemplate: text('tokenizer.chat_template'),
    tokens: Array.isArray(vocabulary) ? new Set(vocabulary) : null,
  }
}

/** Returns a number of tokens; null for any other value. */
function tokens(value: number | null): number | null {
  const isCount = value !== null && Number.isInteger(value) && value > 0 && value <= mostContextTokens
  return isCount ? value : null
}

function bad(path: string, reason: string, cause: unknown): AppError {
  return new AppError({ code: 'model/bad-file', path, reason }, { cause })
}

const blockBytes = 256 * 1024

/**
 * Reads a file from its beginning in blocks, so that a head of a hundred thousand entries takes few reads.
 *
 * Errors: every method throws where the bytes end; reading past `limit` throws its reason.
 */
class FileBytes {
  readonly sizeBytes: number
  position = 0
  readonly #file: FileHandle
  readonly #limit: AbortSignal
  #block = Buffer.alloc(0)
  #blockStart = 0

  constructor(file: FileHandle, sizeBytes: number, limit: AbortSignal) {
    this.#file = file
    this.sizeBytes = sizeBytes
    this.#limit = limit
  }

  u32 = async () => (await this.take(4)).readUInt32LE()
  u64 = async () => (await this.take(8)).readBigUInt64LE()

  async string(longestBytes: number): Promise<string> {
    const length = Number(await this.u64())
    if (length > longestBytes) throw new Error('damaged: a text without end')
    return (await this.take(length)).toString('utf8')
  }

  skip(sizeBytes: number): void {
    if (this.position + sizeBytes > this.sizeBytes) throw new Error('damaged: it ends too early')
    this.position += sizeBytes
  }

  async take(sizeBytes: number): Promise<Buffer> {
    this.#limit.throwIfAborted()
    const start = this.position
    this.skip(sizeBytes)
    const end = start + sizeBytes
    if (start < this.#blockStart || end > this.#blockStart + this.#block.length) {
      const block = Buffer.alloc(Math.min(Math.max(blockBytes, sizeBytes), this.sizeBytes - start))
      const { bytesRead } = await this.#file.read(block, 0, block.length, start)
      if (bytesRead < sizeBytes) throw new Error('damaged: it ends too early')
      this.#block = block.subarray(0, bytesRead)
      this.#blockStart = start
    }
    return this.#block.subarray(start - this.#blockStart, end - this.#blockStart)
  }
}
