import { dirname, join } from 'node:path'
import type { Random } from '../deps.ts'
import { tempFileName } from '../platform/files/atomic-file.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, errorCode, limitChangedBytes } from '../platform/files/disk.ts'
import { toFileError } from '../platform/files/file-error.ts'
import type { CheckpointPacks } from './checkpoint-packs.ts'
import { mapTogether } from './map-together.ts'

/** Minimum number of small contents that are written together as one file. */
const packedFrom = 8
/** A larger content is a file of its own. Units: bytes. */
const limitPackedBytes = 1024 * 1024
const packFolder = 'packs'

/**
 * Bytes of files by their hash, outside of every project: what a change replaces, to undo it, and what it
 * writes, to carry it out after a crash. Many small ones that are put at once lie in one file (`CheckpointPacks`).
 */
export type CheckpointStore = ReturnType<typeof createCheckpointStore>

export function createCheckpointStore(deps: { disk: Disk; folder: string; hostId: string; random: Random }) {
  const { disk, folder } = deps
  const shelf = (hash: string): string => join(folder, hash.slice(0, 2))
  let opened: Promise<CheckpointPacks> | undefined
  const packs = async (): Promise<CheckpointPacks> => {
    opened ??= import('./checkpoint-packs.ts').then(({ createCheckpointPacks }) =>
      createCheckpointPacks({
        disk,
        folder: join(folder, packFolder),
        newId: () => deps.random.id(),
        tempName: () => tempFileName(deps.hostId, deps.random),
      }),
    )
    return opened
  }
  const isStored = async (hash: string, sizeBytes: number): Promise<boolean> =>
    (await (await packs()).has(hash, sizeBytes)) ||
    (await disk.stat(join(shelf(hash), hash)))?.size === sizeBytes
  const store = async (hash: string, bytes: Uint8Array): Promise<void> => {
    const temp = join(shelf(hash), tempFileName(deps.hostId, deps.random))
    await disk.writeNew(temp, bytes, { mode: 0o600 })
    await disk.rename(temp, join(shelf(hash), hash))
  }
  return {
    /** Returns the hashes in order; all bytes are synced to the disk by then. Errors: `file/disk-full`. */
    async putAll(contents: readonly Uint8Array[]): Promise<string[]> {
      const hashes = contents.map(contentHash)
      const missing = new Map(hashes.map((hash, at) => [hash, contents[at] ?? new Uint8Array()]))
      try {
        await mapTogether([...missing], async ([hash, { length }]) => {
          if (await isStored(hash, length)) missing.delete(hash)
        })
        if (missing.size === 0) return hashes
        const isFirst = (await disk.stat(folder)) === undefined
        const small = [...missing].filter(([, { length }]) => length <= limitPackedBytes)
        const packed = small.length < packedFrom ? [] : small
        for (const [hash] of packed) missing.delete(hash)
        const shelves = new Set([...missing.keys()].map(shelf))
        if (packed.length > 0) shelves.add(join(folder, packFolder))
        for (const one of shelves) await disk.makeFolder(one, 0o700)
        await (await packs()).put(packed)
        await mapTogether([...missing], ([hash, bytes]) => store(hash, bytes))
        await mapTogether([...shelves], (one) => syncFolder(disk, one))
        await syncFolder(disk, folder)
        if (isFirst) await syncFolder(disk, dirname(folder))
        return hashes
      } catch (error) {
        throw toFileError(error, folder)
      }
    },
    /** Errors: `file/not-found`; `file/failed` where the stored bytes are damaged. */
    async get(hash: string): Promise<Buffer> {
      const path = join(shelf(hash), hash)
      try {
        const packed = await (await packs()).get(hash)
        if (packed !== null) return packed
        const bytes = await disk.read(path, limitChangedBytes)
        if (contentHash(bytes) !== hash) throw new Error('stored bytes do not have their hash')
        return bytes
      } catch (error) {
        throw toFileError(error, path)
      }
    },
    /** Removes what is not in `keep`, and what a crash left half-written. */
    async sweep(keep: ReadonlySet<string>): Promise<number> {
      let removed = await (await packs()).sweep(keep)
      for (const entry of await disk.list(folder)) {
        if (!entry.isDirectory() || entry.name === packFolder) continue
        for (const file of await disk.list(join(folder, entry.name))) {
          if (keep.has(file.name)) continue
          await disk.remove(join(folder, entry.name, file.name)).catch((error: unknown) => {
            if (errorCode(error) !== 'ENOENT') throw error
          })
          removed++
        }
      }
      return removed
    },
  }
}

async function syncFolder(disk: Disk, path: string): Promise<void> {
  const pinned = await disk.pinFolder(await disk.realPath(path))
  try {
    await pinned.sync()
  } finally {
    await pinned.close()
  }
}
