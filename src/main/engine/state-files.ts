import { randomBytes } from 'node:crypto'
import {
  chmod,
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  utimes,
} from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { contentHash } from '../platform/files/content-hash.ts'

/** Units: bytes; `filesPerModel` counts files. */
export type StateLimits = { totalBytes: number; filesPerModel: number; freeBytes: number }

const usualLimits: StateLimits = {
  totalBytes: 2 * 1024 ** 3,
  filesPerModel: 4,
  // The author's text needs the disk more than this does.
  freeBytes: 512 * 1024 ** 2,
}

const ending = '.state'
const temporary = '.tmp'
const staleAfterMs = 60_000
const mark = Buffer.from('TSUGIST1')
/** The token count, the checksum and the mark. */
const tailBytes = 4 + 4 + mark.length
const chunkBytes = 1024 * 1024

export type StateFiles = ReturnType<typeof stateFiles>

/**
 * Returns the saved states of one model's conversations, a file each.
 *
 * Shape: the engine's own bytes, then the tokens that they represent (32 bits each), the number of tokens, a CRC-32 of
 * all that, and a mark. The engine aborts on a truncated file, so that every file is checked before it is loaded.
 * `file`: absolute path of the model file, with which alone a state may be loaded. `identity`: all else that it depends
 * on: the file's size and time, the engine's version, the context size.
 * Errors: plain `Error`s; a caller goes on without a state.
 */
export function stateFiles(
  folder: string,
  { file, identity }: { file: string; identity: string },
  limits: StateLimits = usualLimits,
) {
  const pathOf = (conversation: string): string =>
    join(folder, `${short(file)}-${short(identity)}-${short(conversation)}${ending}`)

  /** Removes the least recently used states beyond the limits, and unfinished files of ended processes. */
  async function tidy(): Promise<void> {
    const mine = `${short(file)}-`
    let totalBytes = 0
    let filesOfModel = 0
    for (const { name, path, size, mtimeMs } of await newestFirst(folder)) {
      if (name.endsWith(temporary)) {
        if (Date.now() - mtimeMs > staleAfterMs) await rm(path, { force: true })
        continue
      }
      totalBytes += size
      if (name.startsWith(mine)) filesOfModel += 1
      const isTooMany = name.startsWith(mine) && filesOfModel > limits.filesPerModel
      if (isTooMany || totalBytes > limits.totalBytes) await rm(path, { force: true })
    }
  }

  return {
    /**
     * Keeps the file that `save` writes, with its tokens; `bytes` is an estimate of its size.
     *
     * Shape: false where there is no room for it.
     */
    async save(
      conversation: string,
      tokens: readonly number[],
      bytes: number,
      save: (path: string) => Promise<{ fileSize: number }>,
    ): Promise<boolean> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      if (process.platform !== 'win32') await chmod(folder, 0o700)
      const { bavail, bsize } = await statfs(folder)
      const { totalBytes, freeBytes } = limits
      if (bytes > totalBytes || bavail * bsize < bytes + freeBytes) return false
      const path = pathOf(conversation)
      const temp = temporaryName(path)
      try {
        await (await open(temp, 'wx', 0o600)).close()
        const { fileSize } = await save(temp)
        // The engine does not check whether the last bytes were written.
        if ((await stat(temp)).size !== fileSize) throw new Error('the state was not written whole')
        await seal(temp, tokens)
        await rename(temp, path)
      } finally {
        await rm(temp, { force: true })
      }
      await tidy()
      return true
    },
    /** Returns the tokens of a conversation's state; none where there is no state. Removes a damaged one. */
    async tokens(conversation: string): Promise<readonly number[]> {
      const path = pathOf(conversation)
      const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      if (file === undefined) return []
      try {
        const tail = await readTail(file)
        if (tail !== undefined) return tail.tokens
      } finally {
        await file.close()
      }
      await rm(path, { force: true })
      throw damaged()
    },
    /** Passes a complete state to `load`; removes one that cannot be used. */
    async load(conversation: string, load: (path: string) => Promise<void>): Promise<void> {
      const path = pathOf(conversation)
      // Renamed while it is loaded: if that crashes the process, the state is not found again.
      const temp = temporaryName(path)
      await rename(path, temp)
      try {
        await check(temp)
        await load(temp)
        const now = new Date()
        await utimes(temp, now, now)
        await rename(temp, path)
      } finally {
        await rm(temp, { force: true })
      }
    },
  }
}

function short(text: string): string {
  return contentHash(text).slice(0, 16)
}

function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}${temporary}`
}

async function newestFirst(folder: string) {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ending) || name.endsWith(temporary))
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      // Another engine may have renamed or removed it meanwhile.
      const stats = await stat(path).catch(() => undefined)
      return stats === undefined ? [] : [{ name, path, size: stats.size, mtimeMs: stats.mtimeMs }]
    }),
  )
  return files.flat().sort((a, b) => b.mtimeMs - a.mtimeMs)
}

async function seal(path: string, tokens: readonly number[]): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    const stored = Buffer.alloc(tokens.length * 4 + 4)
    for (const [index, token] of tokens.entries()) stored.writeUInt32LE(token, index * 4)
    stored.writeUInt32LE(tokens.length, tokens.length * 4)
    const checksum = Buffer.alloc(4)
    checksum.writeUInt32LE(crc32(stored, await checksumOf(file, size)))
    const tail = Buffer.concat([stored, checksum, mark])
    const { bytesWritten } = await file.write(tail, 0, tail.length, size)
    if (bytesWritten !== tail.length) throw new Error('the state was not written whole')
  } finally {
    await file.close()
  }
}

async function check(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    const tail = await readTail(file)
    const isWhole = tail !== undefined && tail.checksum === (await checksumOf(file, tail.checkedBytes))
    if (!isWhole) throw damaged()
  } finally {
    await file.close()
  }
}

function damaged(): Error {
  return new Error('the state is damaged')
}

/** Reads the end of a file; returns undefined where `seal` did not write it. */
async function readTail(file: FileHandle) {
  const { size } = await file.stat()
  if (size < tailBytes) return undefined
  const tail = Buffer.alloc(tailBytes)
  await file.read(tail, 0, tailBytes, size - tailBytes)
  const tokensBytes = tail.readUInt32LE(0) * 4
  if (!tail.subarray(8).equals(mark) || size < tailBytes + tokensBytes) return undefined
  const stored = Buffer.alloc(tokensBytes)
  await file.read(stored, 0, tokensBytes, size - tailBytes - tokensBytes)
  const tokens = Array.from({ length: tokensBytes / 4 }, (_, index) => stored.readUInt32LE(index * 4))
  return { tokens, checksum: tail.readUInt32LE(4), checkedBytes: size - tailBytes + 4 }
}

async function checksumOf(file: FileHandle, bytes: number): Promise<number> {
  const chunk = Buffer.alloc(chunkBytes)
  let value = 0
  for (let at = 0; at < bytes; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunkBytes, bytes - at), at)
    if (bytesRead === 0) break
    value = crc32(chunk.subarray(0, bytesRead), value)
    at += bytesRead
  }
  return value
}
