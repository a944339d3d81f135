import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { type Disk, errorCode } from '../../platform/files/disk.ts'
import { failWith, toFileError } from '../../platform/files/file-error.ts'
import type { StoredBytes } from './layer.ts'

/** Free space that is left on the disk of the private files. Units: bytes. */
const spareBytes = 1_000_000

/** Makes the folder `names` below `top`, step by step, closed to others. Errors: `file/outside` for a link. */
export async function openPrivateFiles(
  disk: Disk,
  top: string,
  names: readonly string[],
): Promise<PrivateFiles> {
  let folder = await disk.realPath(top)
  for (const name of [...names, 'bytes']) {
    folder = join(folder, name)
    const stats = await disk.lstat(folder)
    if (stats === undefined) await makeFolder(disk, folder)
    else if (!stats.isDirectory()) throw new AppError({ code: 'file/outside', path: folder })
  }
  return privateFiles(disk, join(folder, '..'), folder)
}

function makeFolder(disk: Disk, folder: string): Promise<void> {
  return disk.makeFolder(folder, 0o700).catch(failWith(folder))
}

export type PrivateFiles = ReturnType<typeof privateFiles>

/**
 * The bytes of an overlay and of those stacked on it, in a folder that other users cannot read. A file in it is whole
 * and never changes. Nothing is synced: an overlay ends with its host.
 */
function privateFiles(disk: Disk, folder: string, shelf: string) {
  let count = 0
  let holders = 1
  const removeOne = async (name: string): Promise<void> => {
    const path = join(shelf, name)
    if ((await disk.lstat(path)) !== undefined) await disk.remove(path)
  }
  /** Stores bytes. Errors, which name `path`: `file/disk-full`; nothing is left then. */
  const put = async (bytes: Uint8Array, path: string): Promise<StoredBytes> => {
    const name = String(++count)
    try {
      if ((await disk.freeBytes(shelf)) < bytes.length + spareBytes) {
        throw new AppError({ code: 'file/disk-full', path })
      }
      try {
        await disk.writeNew(join(shelf, name), bytes, { mode: 0o600, isSynced: false })
      } catch (error) {
        await removeOne(name)
        throw error
      }
    } catch (error) {
      throw toFileError(error, path)
    }
    return { name, hash: contentHash(bytes), sizeBytes: bytes.length }
  }
  return {
    folder,
    /** Returns the path of a file, for programs and for hard links. */
    pathOf: ({ name }: StoredBytes): string => join(shelf, name),
    put,
    /** Returns the present time as the disk gives it to files. Units: ms since 1970. Errors: as `put` and `get`. */
    async nowMs(): Promise<number> {
      const { name } = await put(new Uint8Array(), shelf)
      try {
        const stats = await disk.lstat(join(shelf, name))
        if (stats === undefined) throw new AppError({ code: 'speculation/files-gone' })
        return stats.ctimeMs
      } finally {
        await removeOne(name)
      }
    },
    /** Errors: `speculation/files-gone` where the file is gone or not what was put there. */
    async get(stored: StoredBytes): Promise<Buffer> {
      const bytes = await disk
        .readPlain(join(shelf, stored.name), stored.sizeBytes)
        .catch((cause: unknown) => {
          throw new AppError({ code: 'speculation/files-gone' }, { cause })
        })
      if (contentHash(bytes) === stored.hash) return bytes
      throw new AppError({ code: 'speculation/files-gone' })
    },
    async remove(stored: readonly StoredBytes[]): Promise<void> {
      for (const { name } of stored) await removeOne(name)
    },
    /** Adds a holder of the folder. */
    hold(): void {
      holders++
    },
    /** Removes a holder of the folder; the last one removes the folder. */
    async letGo(): Promise<void> {
      if (--holders === 0) await removeTree(disk, folder)
    },
  }
}

/**
 * Removes a file or a folder with all in it. A link is removed itself; its target is not touched.
 *
 * Shape: all but the last name of `path` is real. Errors: Node's own; `file/outside` where a link is put in the
 * way meanwhile.
 */
export async function removeTree(disk: Disk, path: string): Promise<void> {
  const stats = await disk.lstat(path)
  if (stats === undefined) return
  try {
    if (!stats.isDirectory()) return await disk.remove(path)
    await empty(disk, path)
    await disk.removeFolder(path)
  } catch (error) {
    // Another process removed the file.
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

/** Empties a folder, which is held open: if its name leads elsewhere meanwhile, that place is not touched (Linux). */
async function empty(disk: Disk, path: string): Promise<void> {
  const folder = await disk.pinFolder(path)
  try {
    for (const entry of await disk.list(folder.path)) {
      const below = join(folder.path, entry.name)
      if (!entry.isDirectory()) await disk.remove(below)
      else {
        await empty(disk, join(path, entry.name))
        await disk.removeFolder(below)
      }
    }
  } finally {
    await folder.close()
  }
}
