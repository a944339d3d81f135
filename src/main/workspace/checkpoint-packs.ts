import { join } from 'node:path'
import { z } from 'zod'
import { isTempFileName } from '../platform/files/atomic-file.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import type { Disk } from '../platform/files/disk.ts'

type Packed = { pack: string; from: number; sizeBytes: number }

/** Keeps many small contents in few files, since each file costs one sync. */
export type CheckpointPacks = ReturnType<typeof createCheckpointPacks>

/** Number of decimal digits at the beginning of a pack that give the length of its index. */
const lengthDigits = 12
const limitPackBytes = 64 * 1024 * 1024
const packName = /^[0-9a-f]+\.pack$/

/** Shape: a pack is the length of its index, the index as JSON (`[[hash, size], …]`), the bytes in that order. */
export function createCheckpointPacks(deps: {
  disk: Disk
  folder: string
  newId(): string
  tempName(): string
}) {
  const { disk, folder } = deps
  /** Packs whose index cannot be read: not used, and not removed, since another program may be able to read them. */
  const damaged = new Set<string>()
  let index: Promise<Map<string, Packed>> | null = null

  function known(): Promise<Map<string, Packed>> {
    if (index !== null) return index
    const reading = readIndex()
    index = reading
    // The next call reads again.
    reading.catch(() => {
      index = null
    })
    return reading
  }

  async function readIndex(): Promise<Map<string, Packed>> {
    const found = new Map<string, Packed>()
    if ((await disk.stat(folder)) === undefined) return found
    for (const { name } of await disk.list(folder)) {
      if (!packName.test(name)) continue
      const path = join(folder, name)
      const stats = await disk.stat(path)
      // An entry that is not a file has no index; it must not prevent changes of files.
      const size = stats?.isFile() === true ? stats.size : 0
      const digits = size < lengthDigits ? '' : (await disk.readPart(path, 0, lengthDigits)).toString()
      const length = /^\d{12}$/.test(digits) ? Number(digits) : size
      const isThere = lengthDigits + length <= size
      const json = isThere ? (await disk.readPart(path, lengthDigits, length)).toString() : ''
      const entries = readEntries(json, size - lengthDigits - length)
      if (entries === null) damaged.add(name)
      else note(found, name, entries, lengthDigits + length)
    }
    return found
  }

  async function putOne(contents: readonly (readonly [string, Uint8Array])[]): Promise<void> {
    const found = await known()
    const entries = contents.map(([hash, { length }]): [string, number] => [hash, length])
    const json = Buffer.from(JSON.stringify(entries))
    const head = Buffer.from(String(json.length).padStart(lengthDigits, '0'))
    const bytes = Buffer.concat([head, json, ...contents.map(([, one]) => one)])
    const temp = join(folder, deps.tempName())
    const name = `${deps.newId()}.pack`
    try {
      await disk.writeNew(temp, bytes, { mode: 0o600 })
      await disk.rename(temp, join(folder, name))
    } catch (error) {
      if ((await disk.lstat(temp)) !== undefined) await disk.remove(temp)
      throw error
    }
    note(found, name, entries, head.length + json.length)
  }

  return {
    has: async (hash: string, sizeBytes: number): Promise<boolean> =>
      (await known()).get(hash)?.sizeBytes === sizeBytes,
    /** All bytes are synced when it returns; the folder is the caller's to sync. */
    async put(contents: readonly (readonly [hash: string, bytes: Uint8Array])[]): Promise<void> {
      let [some, sizeBytes]: [(readonly [string, Uint8Array])[], number] = [[], 0]
      for (const one of contents) {
        if (some.length > 0 && sizeBytes + one[1].length > limitPackBytes) {
          await putOne(some)
          ;[some, sizeBytes] = [[], 0]
        }
        some.push(one)
        sizeBytes += one[1].length
      }
      if (some.length > 0) await putOne(some)
    },
    /** Null where no pack has it. Errors: where the stored bytes are damaged. */
    async get(hash: string): Promise<Buffer | null> {
      const place = (await known()).get(hash)
      if (place === undefined) return null
      const bytes = await disk.readPart(join(folder, place.pack), place.from, place.sizeBytes)
      if (contentHash(bytes) !== hash) throw new Error('packed bytes do not have their hash')
      return bytes
    },
    /** Removes packs of which nothing is in `keep`, and what a crash left half-written. Units: files. */
    async sweep(keep: ReadonlySet<string>): Promise<number> {
      const found = await known()
      const needed = new Set([...found].flatMap(([hash, { pack }]) => (keep.has(hash) ? [pack] : [])))
      for (const [hash, { pack }] of found) if (!needed.has(pack)) found.delete(hash)
      if ((await disk.stat(folder)) === undefined) return 0
      let removed = 0
      for (const { name } of await disk.list(folder)) {
        if (needed.has(name) || damaged.has(name) || !(packName.test(name) || isTempFileName(name))) continue
        await disk.remove(join(folder, name))
        removed++
      }
      return removed
    },
  }
}

const Entries = z.array(z.tuple([z.string(), z.int().nonnegative()]))

/** Null where it is not an index of contents that fill `sizeBytes`. */
function readEntries(json: string, sizeBytes: number): [string, number][] | null {
  try {
    const entries = Entries.parse(JSON.parse(json))
    return entries.reduce((sum, [, size]) => sum + size, 0) === sizeBytes ? entries : null
  } catch {
    return null
  }
}

function note(index: Map<string, Packed>, pack: string, entries: readonly [string, number][], begin: number) {
  let from = begin
  for (const [hash, sizeBytes] of entries) {
    index.set(hash, { pack, from, sizeBytes })
    from += sizeBytes
  }
}
