import { basename } from 'node:path'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'
import { errorCode } from '../../platform/files/disk.ts'
import { openRegularFile } from '../../platform/files/read-regular-file.ts'
import { type ByteReader, FileBytes } from './file-bytes.ts'

/** Metadata that a model file has about itself. Null: not in the file. Units: tokens, bytes. */
export type GgufMetadata = {
  modelName: string
  architecture: string | null
  contextTokens: number | null
  /** BCP 47 tags, from `general.languages`. */
  languages: string[]
  fileType: number | null
  sizeBytes: number
  chatTemplate: string | null
  /** Those of the wanted texts that are tokens of the model; null where the file has no vocabulary. */
  tokens: ReadonlySet<string> | null
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
const textType = 8
const arrayType = 9
const keptKeys: ReadonlySet<string> = new Set([
  'general.name',
  'general.architecture',
  'general.languages',
  'general.file_type',
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
    const { pairs, tensorCount } = await readPairs(bytes, sizeBytes, new Set(wanted))
    await checkTensors(bytes, tensorCount, alignmentOf(pairs), sizeBytes)
    return describe(path, sizeBytes, pairs)
  } catch (error) {
    throw error instanceof AppError ? error : bad(path, error instanceof Error ? error.message : '', error)
  } finally {
    await file.close()
  }
}

type Pairs = Map<string, Scalar | string[]>

async function readPairs(
  bytes: ByteReader,
  sizeBytes: number,
  wanted: ReadonlySet<string>,
): Promise<{ pairs: Pairs; tensorCount: bigint }> {
  if ((await bytes.u32()) !== magic) throw new Error('not a GGUF file')
  const version = await bytes.u32()
  if (version !== 2 && version !== 3) throw new Error(`GGUF version ${version}`)
  const tensorCount = await bytes.u64()
  const count = await bytes.u64()
  if (tensorCount > BigInt(mostTensors) || tensorCount * leastTensorBytes > BigInt(sizeBytes))
    throw new Error('damaged: too many tensors')
  if (count > BigInt(mostPairs) || count * leastPairBytes > BigInt(sizeBytes))
    throw new Error('damaged: too many entries')
  const pairs: Pairs = new Map()
  for (let index = 0n; index < count; index += 1n) {
    const key = await readString(bytes, longestNameBytes)
    const value = await readValue(bytes, await bytes.u32(), key, wanted)
    if (value !== null && isKept(key)) pairs.set(key, value)
  }
  return { pairs, tensorCount }
}

/** Reads the entry of each tensor: its data must fit into the file after the head. */
async function checkTensors(
  bytes: ByteReader,
  count: bigint,
  alignment: bigint,
  sizeBytes: number,
): Promise<void> {
  let end = 0n
  for (let index = 0n; index < count; index += 1n) {
    await readString(bytes, longestNameBytes)
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
  if (end > 0n && dataFrom + end > BigInt(sizeBytes)) throw new Error('damaged: it ends too early')
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
  bytes: ByteReader,
  type: number,
  key: string,
  wanted: ReadonlySet<string>,
): Promise<Scalar | string[] | null> {
  if (type === textType && !isKept(key)) {
    bytes.skip(Number(await bytes.u64()))
    return null
  }
  if (type === textType) return readString(bytes, longestTextBytes)
  const read = readers[type]
  if (read !== undefined) return read(bytes)
  if (type !== arrayType) throw new Error(`damaged: value of type ${type}`)
  const itemType = await bytes.u32()
  const length = Number(await bytes.u64())
  if (length > mostItems) throw new Error('damaged: a list without end')
  const isWanted = key === 'general.languages' && itemType === textType
  const fixed = fixedSizes[itemType]
  if (fixed !== undefined) {
    bytes.skip(fixed * length)
    return null
  }
  if (itemType !== textType) throw new Error(`damaged: list of type ${itemType}`)
  if (length * leastTextBytes > bytes.leftBytes) throw new Error('damaged: it ends too early')
  if (key === vocabularyKey) return readTokens(bytes, length, wanted)
  const items: string[] = []
  for (let index = 0; index < length; index += 1) {
    if (isWanted && index < kept.languages) items.push(await readString(bytes, kept.languageBytes))
    else bytes.skip(Number(await bytes.u64()))
  }
  return isWanted ? items : null
}

/** Reads a vocabulary, of which only texts with the length of a wanted one are read. */
async function readTokens(bytes: ByteReader, length: number, wanted: ReadonlySet<string>): Promise<string[]> {
  const sizes = new Set([...wanted].map((text) => Buffer.byteLength(text)))
  const found = new Set<string>()
  for (let index = 0; index < length; index += 1) {
    const size = Number(await bytes.u64())
    if (!sizes.has(size)) {
      bytes.skip(size)
      continue
    }
    const text = await bytes.text(size)
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

async function readString(bytes: ByteReader, longestBytes: number): Promise<string> {
  const length = Number(await bytes.u64())
  if (length > longestBytes) throw new Error('damaged: a text without end')
  return bytes.text(length)
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
    architecture,
    contextTokens: architecture === null ? null : tokens(number(`${architecture}.context_length`)),
    languages: Array.isArray(languages) ? languages : [],
    fileType: number('general.file_type'),
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
