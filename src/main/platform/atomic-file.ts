import { basename, dirname, join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import type { Random } from '../deps.ts'
import type { Disk } from './disk.ts'
import { toFileError } from './file-error.ts'

const tempPattern = /^\.tsugi-([0-9a-f]{32})-[0-9a-f]{12}\.tmp$/
/** A temporary file lives for milliseconds; an old one was left by a host that ended in between. */
const staleAfterMs = 60_000

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
 * Mode and owner are kept, unless `mode` is given. `beforeRename` is the last moment to say no by throwing.
 * Errors: `file/disk-full`, `file/read-only`, `file/denied`, `file/outside` where a folder became a link.
 */
export async function replaceFile(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  options: { tempName: string; mode?: number; beforeRename?: () => Promise<void> },
): Promise<void> {
  try {
    const old = await disk.stat(path)
    if (old !== undefined && !old.isFile()) throw new AppError({ code: 'file/exists', path })
    if (old !== undefined && isReadOnlyMode(old.mode)) throw new AppError({ code: 'file/read-only', path })
    const folder = await disk.pinFolder(dirname(path))
    try {
      const temp = join(folder.path, options.tempName)
      try {
        await disk.writeNew(temp, bytes, {
          mode: options.mode ?? (old === undefined ? 0o644 : old.mode & 0o7777),
          ...(old === undefined ? {} : { owner: { uid: old.uid, gid: old.gid } }),
        })
        await options.beforeRename?.()
        await disk.rename(temp, join(folder.path, basename(path)))
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
 * Removes temporary files that other hosts left in `folder`.
 *
 * Units: returns how many. Shape: ours and young ones stay; they may be in use.
 */
export async function sweepTempFiles(
  disk: Disk,
  folder: string,
  options: { hostId: string; now: number },
): Promise<number> {
  let removed = 0
  for (const entry of await disk.list(folder)) {
    const owner = tempPattern.exec(entry.name)?.[1]
    if (owner === undefined || owner === options.hostId || !entry.isFile()) continue
    const path = join(folder, entry.name)
    const stats = await disk.lstat(path)
    if (stats === undefined || options.now - stats.mtimeMs < staleAfterMs) continue
    await disk.remove(path)
    removed++
  }
  return removed
}

async function removeLeftover(disk: Disk, temp: string): Promise<void> {
  if ((await disk.lstat(temp)) !== undefined) await disk.remove(temp)
}
