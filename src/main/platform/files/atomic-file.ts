import { basename, dirname, join } from 'node:path'
import { AppError, isAppError } from '../../../shared/errors.ts'
import type { Random } from '../../deps.ts'
import { contentHash } from './content-hash.ts'
import { type Disk, errorCode, limitChangedBytes } from './disk.ts'
import { toFileError } from './file-error.ts'

const tempPattern = /^\.tsugi-([0-9a-f]{32})-[0-9a-f]{12}(?:-old)?\.tmp$/

/** A name for a temporary file beside its target; it carries the host's id, so that it can be swept. */
export function tempFileName(hostId: string, random: Random): string {
  return `.tsugi-${hostId}-${random.id().slice(0, 12)}.tmp`
}

export function isTempFileName(name: string): boolean {
  return tempPattern.test(name)
}

/** True where nobody may write the file, also for root, whom the system would let. */
export function isReadOnlyMode(mode: number): boolean {
  return (mode & 0o222) === 0
}

/**
 * Puts `bytes` in place of a file, or creates it: at every moment the old or the new content is there, whole.
 *
 * Shape: `path` is a real path (`resolveInside`), so that a link stays a link and its target changes.
 * Mode and owner are kept, unless `mode` is given. `beforeRename` is the last moment to say no by throwing. With
 * `expectedHash` (null: no file) what was replaced is compared afterwards, where the file system knows hard links: what
 * somebody wrote in the last moment is put back.
 * Errors: `file/disk-full`, `file/read-only`, `file/denied`, `file/outside` where a folder became a link;
 * `file/changed` where the replaced content was not the expected one.
 */
export async function replaceFile(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  options: {
    tempName: string
    mode?: number
    expectedHash?: string | null
    beforeRename?: () => Promise<void>
  },
): Promise<void> {
  try {
    const old = await disk.stat(path)
    if (old !== undefined && !old.isFile()) throw new AppError({ code: 'file/exists', path })
    if (old !== undefined && isReadOnlyMode(old.mode)) throw new AppError({ code: 'file/read-only', path })
    const folder = await disk.pinFolder(dirname(path))
    try {
      const temp = join(folder.path, options.tempName)
      const target = join(folder.path, basename(path))
      try {
        await disk.writeNew(temp, bytes, {
          mode: options.mode ?? (old === undefined ? 0o644 : old.mode & 0o7777),
          ...(old === undefined ? {} : { owner: { uid: old.uid, gid: old.gid } }),
        })
        await options.beforeRename?.()
        const { expectedHash } = options
        if (expectedHash === undefined) await disk.rename(temp, target)
        else if (expectedHash === null) await putNew(disk, temp, target, path)
        else await exchange(disk, { temp, target, path, expectedHash, ourHash: contentHash(bytes) })
      } catch (error) {
        await removeLeftover(disk, temp)
        throw error
      }
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    throw toFileError(error, path)
  }
}

/**
 * Removes a file by giving it another name first, so that exactly what is removed can be compared.
 *
 * Shape: `target` in a pinned folder. Errors: `file/changed` where it was not the expected content; it is there again.
 */
export async function removeExpected(
  disk: Disk,
  target: string,
  options: { tempName: string; expectedHash: string | null },
): Promise<void> {
  const aside = asideOf(join(dirname(target), options.tempName))
  await disk.rename(target, aside)
  if ((await hashAt(disk, aside)) === options.expectedHash) return disk.remove(aside)
  try {
    await disk.link(aside, target)
    await disk.remove(aside)
  } catch (error) {
    // Somebody made a new file meanwhile: neither is lost. Without hard links only the rename is left.
    if (errorCode(error) !== 'EEXIST') await disk.rename(aside, target)
  }
  throw new AppError({ code: 'file/changed', path: target })
}

/** Where nothing was, nothing may be replaced. */
async function putNew(disk: Disk, temp: string, target: string, path: string): Promise<void> {
  if (!(await isLinked(disk, temp, target, path))) return disk.rename(temp, target)
  await disk.remove(temp)
}

async function exchange(
  disk: Disk,
  file: { temp: string; target: string; path: string; expectedHash: string; ourHash: string },
): Promise<void> {
  const { temp, target, path } = file
  const aside = asideOf(temp)
  if (!(await isLinked(disk, target, aside, path))) return disk.rename(temp, target)
  try {
    const [kept, now] = [await disk.lstat(aside), await disk.lstat(target)]
    if (kept?.ino !== now?.ino) throw new AppError({ code: 'file/changed', path })
    await disk.rename(temp, target)
    if ((await hashAt(disk, aside)) === file.expectedHash) return
    // What was written after our last check comes back; what was written into our file meanwhile is newer and stays.
    if ((await hashAt(disk, target)) === file.ourHash) await disk.rename(aside, target)
    throw new AppError({ code: 'file/changed', path })
  } finally {
    await removeLeftover(disk, aside)
  }
}

/** Empty, which no hash is, where it is no file that can be read: then it is not what was expected, and is put back. */
async function hashAt(disk: Disk, path: string): Promise<string> {
  try {
    return contentHash(await disk.read(path, limitChangedBytes))
  } catch (error) {
    if (isAppError(error) || errorCode(error) !== undefined) return ''
    throw error
  }
}

/** False where the file system has no hard links. Errors: `file/changed` where a file came or went meanwhile. */
async function isLinked(disk: Disk, from: string, to: string, path: string): Promise<boolean> {
  try {
    await disk.link(from, to)
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST' || code === 'ENOENT') throw new AppError({ code: 'file/changed', path })
    return false
  }
}

function asideOf(temp: string): string {
  return temp.replace(/\.tmp$/, '-old.tmp')
}

/**
 * Removes temporary files that ended hosts of our data folder left in `folder`.
 *
 * Units: returns how many. Shape: those of a host that we do not know stay; it may run on another data folder.
 */
export async function sweepTempFiles(
  disk: Disk,
  folder: string,
  isEnded: (hostId: string) => boolean,
): Promise<number> {
  let removed = 0
  for (const entry of await disk.list(folder)) {
    const owner = tempPattern.exec(entry.name)?.[1]
    if (owner === undefined || !isEnded(owner) || !entry.isFile()) continue
    await disk.remove(join(folder, entry.name))
    removed++
  }
  return removed
}

async function removeLeftover(disk: Disk, temp: string): Promise<void> {
  if ((await disk.lstat(temp)) !== undefined) await disk.remove(temp)
}
