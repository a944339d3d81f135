import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { Random } from '../../deps.ts'
import { tempFileName } from '../../platform/files/atomic-file.ts'
import { type Disk, errorCode, onErrorCode } from '../../platform/files/disk.ts'
import { toFileError } from '../../platform/files/file-error.ts'
import { checkNewName, resolveInside } from '../../platform/files/real-path.ts'
import type { ChangeSetEntry, EntryState } from '../../store/works/change-set-repository.ts'

type Deps = { disk: Disk; hostId: string; random: Random; makeFolders(path: string): Promise<void> }

/** `other`: a file, or anything else that is neither a folder nor a link. */
export type EntryNow = EntryState | { kind: 'other' } | null

/**
 * Returns what lies at a path itself, its last link not followed.
 *
 * Errors: `file/outside` where the way to it leads elsewhere than the path says.
 */
export async function entryAt(disk: Disk, root: string, path: string): Promise<EntryNow> {
  return stateAt(disk, await placeOf(disk, root, path))
}

/** Folders are the same whatever their permissions. */
export function isSameEntry(one: EntryNow, other: EntryNow): boolean {
  if (one === null || other === null) return one === other
  if (one.kind === 'link' && other.kind === 'link') return one.target === other.target
  return one.kind === other.kind && one.kind !== 'other'
}

/**
 * Returns the entries that are to be changed, and touches nothing.
 *
 * Errors: `file/changed` where a path is not as the change found it; `file/denied`, `file/outside`, `file/bad-name`.
 */
export async function planEntries(disk: Disk, root: string, entries: readonly ChangeSetEntry[]) {
  const planned: ChangeSetEntry[] = []
  for (const entry of entries) {
    const { path, before, after } = entry
    try {
      const now = await entryAt(disk, root, path)
      if (isSameEntry(now, after)) continue
      if (!isSameEntry(now, before)) throw new AppError({ code: 'file/changed', path })
      if (now === null) checkNewName(basename(path))
      await refuseClosedFolder(disk, root, path)
    } catch (error) {
      throw toFileError(error, path)
    }
    planned.push(entry)
  }
  return planned
}

/**
 * Splits entries by the time at which they can be changed: removed links and new folders before all files of the
 * change set, removed folders and new links after them.
 */
export function inOrder(entries: readonly ChangeSetEntry[]) {
  const depth = ({ path }: ChangeSetEntry): number => path.split('/').length
  const outermost = [...entries].sort((one, other) => depth(one) - depth(other))
  const isFirst = ({ before, after }: ChangeSetEntry): boolean =>
    after === null ? before?.kind === 'link' : after.kind === 'folder'
  const others = outermost.filter((entry) => !isFirst(entry))
  return {
    first: outermost.filter(isFirst),
    last: [
      ...others.filter(({ after }) => after === null).reverse(),
      ...others.filter(({ after }) => after !== null),
    ],
  }
}

/**
 * Changes one entry, unless it already is as it should be. A folder that is not empty is not removed.
 *
 * Errors: `file/changed`, `file/outside`; Node's own.
 */
export async function placeEntry(deps: Deps, root: string, { path, before, after }: ChangeSetEntry) {
  const { disk } = deps
  const found = await placeOf(disk, root, path)
  if (isSameEntry(await stateAt(disk, found), after)) return
  if (after !== null) await deps.makeFolders(dirname(found))
  const folder = await disk.pinFolder(dirname(found))
  try {
    const place = join(folder.path, basename(found))
    // The folder that is held open now must be the one that was found, and stay in its place until it is changed.
    if ((await placeOf(disk, root, path)) !== found) throw new AppError({ code: 'file/outside', path })
    const now = await stateAt(disk, place)
    if (!isSameEntry(now, before)) throw new AppError({ code: 'file/changed', path })
    if (after === null) {
      if (now?.kind === 'folder') await removeFolder(disk, place)
      else await removeLink(disk, place)
    } else if (after.kind === 'folder') await makeFolder(disk, path, after.mode, place)
    else if (now === null) await makeLink(disk, path, after.target, place)
    else await replaceLink(deps, after.target, place)
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function makeFolder(disk: Disk, path: string, mode: number, place: string): Promise<void> {
  await disk.makeFolder(place, mode)
  const made = await disk.lstat(place)
  // A link that came meanwhile counts as a folder that is there.
  if (made?.isDirectory() !== true) throw new AppError({ code: 'file/changed', path })
  // The process's own mask may have taken some bits.
  await disk.setMode(place, mode, made)
}

function removeFolder(disk: Disk, place: string): Promise<void> {
  return disk.removeFolder(place).catch(onErrorCode(['ENOTEMPTY', 'EEXIST'], undefined))
}

async function makeLink(disk: Disk, path: string, target: string, place: string): Promise<void> {
  try {
    await disk.makeSymbolicLink(target, place)
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? new AppError({ code: 'file/changed', path }) : error
  }
}

async function removeLink(disk: Disk, place: string): Promise<void> {
  const stats = await disk.lstat(place)
  if (stats?.isSymbolicLink()) await disk.removeSame(place, stats)
}

async function replaceLink({ disk, hostId, random }: Deps, target: string, place: string): Promise<void> {
  const stats = await disk.lstat(place)
  const temp = join(dirname(place), tempFileName(hostId, random))
  await disk.makeSymbolicLink(target, temp)
  try {
    await disk.rename(temp, place, stats)
  } catch (error) {
    await disk.remove(temp)
    throw error
  }
}

async function stateAt(disk: Disk, place: string): Promise<EntryNow> {
  const stats = await disk.lstat(place)
  if (stats === undefined) return null
  if (stats.isSymbolicLink()) return { kind: 'link', target: await disk.readSymbolicLink(place) }
  return stats.isDirectory() ? { kind: 'folder', mode: stats.mode & 0o7777 } : { kind: 'other' }
}

/** Shape: absolute; the way to it has no link. Errors: `file/outside`, `file/bad-name`. */
async function placeOf(disk: Disk, root: string, path: string): Promise<string> {
  const above = dirname(path)
  // The last name is joined to its folder unchanged, so it must be a plain name.
  if (['', '.', '..'].includes(basename(path))) throw new AppError({ code: 'file/outside', path })
  if (path.includes('\0')) throw new AppError({ code: 'file/bad-name', name: path })
  const folder = await resolveInside(disk, root, above)
  if (folder.path !== (above === '.' ? '' : above)) throw new AppError({ code: 'file/outside', path })
  return join(folder.absolute, basename(path))
}

async function refuseClosedFolder(disk: Disk, root: string, path: string): Promise<void> {
  let folder = dirname(await placeOf(disk, root, path))
  while ((await disk.stat(folder)) === undefined) folder = dirname(folder)
  if (!(await disk.canWrite(folder))) throw new AppError({ code: 'file/denied', path })
}
