import type { BigIntStats } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onErrorCode } from '../../platform/files/disk.ts'
import { readSmallText } from '../../platform/files/read-regular-file.ts'
import { mapTogether } from '../../workspace/map-together.ts'
import type { SandboxRun } from '../sandbox.ts'
import type { UpperChange } from './read-upper.ts'

type Place = Pick<SandboxRun, 'project' | 'beganAtNs'>

/**
 * Returns the paths that changed since the command began. `isOwn`: a path that counts by itself alone: where nothing is
 * there, nothing would be overwritten. Any other one counts by its folder then.
 */
export async function changedSince(
  { project, beganAtNs }: Place,
  changes: readonly UpperChange[],
  isOwn: (path: string) => boolean,
): Promise<Set<string>> {
  const changed = await mapTogether(changes, async ({ path }) => {
    const place = join(project, path)
    const own = await statsAt(place)
    // A folder changes with the files that are moved out of it, and no file is put over one.
    const stats = isOwn(path) ? (own?.isDirectory() ? null : own) : (own ?? (await statsAt(dirname(place))))
    return stats !== null && stats.ctimeNs >= beganAtNs ? [path] : []
  })
  return new Set(changed.flat())
}

/** Returns files of databases that are in use, and files that another process has open for writing. */
export async function heldFiles(root: string, changes: readonly UpperChange[]): Promise<Set<string>> {
  const present = changes.filter(
    (change) => change.kind === 'gone' || (change.kind === 'file' && change.lowerMode !== null),
  )
  const written = await openForWriting(present.map(({ path }) => join(root, path)))
  const held = await mapTogether(present, async ({ path }) => {
    const database = path.replace(/-(?:wal|shm)$/, '')
    // The log holds what the database lacks: neither may be replaced without the other.
    const isThere = database === path || (await statsAt(join(root, database))) !== null
    const isInUse = isThere && (await statsAt(join(root, `${database}-wal`))) !== null
    return isInUse || written.has(join(root, path)) ? [path] : []
  })
  return new Set(held.flat())
}

/** Returns ignored paths that somebody else changed since the command began, or holds. */
export async function disturbedPaths(place: Place, changes: readonly UpperChange[]): Promise<Set<string>> {
  const [changed, held] = await Promise.all([
    changedSince(place, changes, () => true),
    heldFiles(place.project, changes),
  ])
  return new Set([...changed, ...held])
}

/** Returns null where nothing is there, or nothing can be. */
function statsAt(path: string): Promise<BigIntStats | null> {
  return lstat(path, { bigint: true }).catch(onErrorCode(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'], null))
}

/** Source: fcntl(2), the access mode in the flags that `/proc/PID/fdinfo/FD` shows in octal. */
const accessMode = 0o3
/** Number of processes that are examined at the same time. */
const together = 32

/**
 * Returns the files that some process of this user holds open for writing. Shape: absolute real paths; Linux only.
 */
async function openForWriting(paths: readonly string[]): Promise<Set<string>> {
  const wanted = new Set(paths)
  const found = new Set<string>()
  if (wanted.size === 0) return found
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const look = async (id: string): Promise<void> => {
    // Processes of other users, and those that end meanwhile, cannot be examined.
    const descriptors = await readdir(`/proc/${id}/fd`).catch(() => [])
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${id}/fd/${descriptor}`).catch(() => '')
      if (!wanted.has(target)) continue
      const info = await readSmallText(`/proc/${id}/fdinfo/${descriptor}`).catch(() => '')
      const flags = /^flags:\s*(\d+)/m.exec(info)?.[1]
      if (flags !== undefined && (Number.parseInt(flags, 8) & accessMode) !== 0) found.add(target)
    }
  }
  const others = processes.filter((id) => id !== String(process.pid))
  for (let at = 0; at < others.length; at += together)
    await Promise.all(others.slice(at, at + together).map(look))
  return found
}
