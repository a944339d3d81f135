import type { Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError, isAppError } from '../../../shared/errors.ts'
import type { Log, Random } from '../../deps.ts'
import { contentHash } from './content-hash.ts'
import { type Disk, errorCode, limitChangedBytes, type PinnedFolder } from './disk.ts'
import { toFileError } from './file-error.ts'

/** Groups: the host's id, a number, and for a file kept aside (`-old`) the beginning of its expected hash. */
const tempPattern = /^\.tsugi-([0-9a-f]{32})-([0-9a-f]{12})(?:(?:-([0-9a-f]{12}))?-old)?\.tmp$/
/** Maximum number of times that another program's version is put back; then the last one written stays. */
const limitPutBacks = 20

/** Returns a name for a temporary file beside its target; it carries the host's id, so that it can be swept. */
export function tempFileName(hostId: string, random: Random): string {
  return `.tsugi-${hostId}-${random.id().slice(0, 12)}.tmp`
}

export function isTempFileName(name: string): boolean {
  return tempPattern.test(name)
}

/** True where the mode lets nobody write the file. Holds for root, too, although the system would let root write. */
export function isReadOnlyMode(mode: number): boolean {
  return (mode & 0o222) === 0
}

/**
 * Puts `bytes` in place of a file, or creates it. At every moment the complete old or new content is there.
 *
 * Shape: `path` is a real path (`resolveInside`), so that a link stays a link and its target changes.
 * Mode and owner are kept, unless `mode` is given; permissions that somebody changes meanwhile are those of the new
 * content. `beforeRename` may still stop the change by throwing. With `expectedHash` (null: no file) the replaced
 * content is compared afterwards, where the file system has hard links: a text that somebody wrote in the last moment
 * is put back.
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
    const folder = await disk.pinFolder(dirname(path))
    try {
      const staged = await stageFile(disk, path, bytes, { ...options, folder })
      try {
        await options.beforeRename?.()
      } catch (error) {
        await staged.drop()
        throw error
      }
      await staged.place()
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    throw toFileError(error, path)
  }
}

/** New content beside its place. Shape: nothing of it is left after `drop`, nor after a `place` that failed. */
export type StagedFile = {
  /** The folder is the caller's to sync. Errors: as `replaceFile`. */
  place(): Promise<void>
  drop(): Promise<void>
}

/**
 * Does the first half of `replaceFile`: writes `bytes` to a temporary file in the pinned folder of `path`.
 *
 * Errors: as `replaceFile`; the temporary file is removed then.
 */
export async function stageFile(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  options: { folder: PinnedFolder; tempName: string; mode?: number; expectedHash?: string | null },
): Promise<StagedFile> {
  const { folder, expectedHash } = options
  const temp = join(folder.path, options.tempName)
  const target = join(folder.path, basename(path))
  const orNothing = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      await removeLeftover(disk, temp)
      throw toFileError(error, path)
    }
  }
  const old = await disk.stat(target)
  if (old !== undefined && !old.isFile()) throw new AppError({ code: 'file/exists', path })
  if (old !== undefined && isReadOnlyMode(old.mode)) throw new AppError({ code: 'file/read-only', path })
  const mode = options.mode ?? (old === undefined ? undefined : old.mode & 0o7777)
  const owner = old === undefined ? {} : { owner: { uid: old.uid, gid: old.gid } }
  await orNothing(() => disk.writeNew(temp, bytes, { ...(mode === undefined ? {} : { mode }), ...owner }))
  return {
    place: () =>
      orNothing(async () => {
        if (expectedHash === null) await putNew(disk, temp, target, path)
        else if (old !== undefined)
          await exchange(disk, { temp, target, path, old, expectedHash, ourHash: contentHash(bytes) })
        else if (expectedHash === undefined) await disk.rename(temp, target)
        else throw new AppError({ code: 'file/changed', path })
      }),
    drop: () => removeLeftover(disk, temp),
  }
}

/**
 * Removes a file after giving it another name, so that exactly the removed content can be compared.
 *
 * Shape: `target` in a pinned folder. Errors: `file/changed` where the content was another one; the file is put back.
 */
export async function removeExpected(
  disk: Disk,
  target: string,
  options: { tempName: string; expectedHash: string | null },
): Promise<void> {
  const aside = asideOf(join(dirname(target), options.tempName), options.expectedHash ?? undefined)
  await disk.rename(target, aside)
  const isFile = (await disk.lstat(aside))?.isFile() === true
  if (isFile && (await hashAt(disk, aside)) === options.expectedHash) return disk.remove(aside)
  try {
    await disk.link(aside, target)
    await disk.remove(aside)
  } catch (error) {
    // Somebody made a new file meanwhile: neither is lost. Without hard links only the rename is left.
    if (errorCode(error) === 'EEXIST') await showKept(disk, aside)
    else await disk.rename(aside, target)
  }
  throw new AppError({ code: 'file/changed', path: target })
}

/** Places a file where none was; never replaces one, where the file system has hard links. */
async function putNew(disk: Disk, temp: string, target: string, path: string): Promise<void> {
  if (!(await isLinked(disk, temp, target, path))) return disk.rename(temp, target)
  await disk.remove(temp)
}

type Exchange = {
  temp: string
  target: string
  path: string
  old: Stats
  /** Hash of the content that may be replaced; undefined where any content may be. */
  expectedHash: string | undefined
  ourHash: string
}

async function exchange(disk: Disk, file: Exchange): Promise<void> {
  const { temp, target, path, expectedHash } = file
  const aside = asideOf(temp, expectedHash)
  if (!(await isLinked(disk, target, aside, path))) return disk.rename(temp, target)
  const changed = new AppError({ code: 'file/changed', path })
  let replaced: Stats | undefined
  let placed: Stats | undefined
  try {
    replaced = await disk.lstat(aside)
    if (replaced?.isFile() !== true) throw changed
    await takeMode(disk, { from: aside, to: temp, before: file.old, placed: await disk.lstat(temp) })
    placed = await disk.lstat(temp)
    await disk.rename(temp, target, expectedHash === undefined ? undefined : replaced)
  } catch (error) {
    await removeLeftover(disk, aside)
    throw isAppError(error, 'file/changed') ? changed : error
  }
  await takeMode(disk, { from: aside, to: target, before: replaced, placed })
  if (expectedHash === undefined || (await hashAt(disk, aside)) === expectedHash) return disk.remove(aside)
  await putBack(disk, file, aside)
  throw changed
}

/** Gives our file the permissions of the replaced file where somebody has changed them. */
async function takeMode(
  disk: Disk,
  files: { from: string; to: string; before: Stats; placed: Stats | undefined },
): Promise<void> {
  const mode = (await disk.lstat(files.from))?.mode
  if (mode === undefined || mode === files.before.mode || files.placed === undefined) return
  await disk.setMode(files.to, mode & 0o7777, files.placed)
}

/**
 * Puts back the text that somebody wrote after our last check. A text that is written into our file meanwhile is newer:
 * it is put back in its turn, or stays.
 */
async function putBack(disk: Disk, file: Exchange, aside: string): Promise<void> {
  const { target, path } = file
  let [theirs, free, placedHash] = [aside, file.temp, file.ourHash]
  for (let round = 0; round < limitPutBacks; round += 1) {
    const theirHash = await hashAt(disk, theirs)
    try {
      if (!(await isLinked(disk, target, free, path))) return await disk.rename(theirs, target)
      const present = await disk.lstat(free)
      if ((await hashAt(disk, free)) !== placedHash) break
      await disk.rename(theirs, target, present)
    } catch (error) {
      // Another file came to this place, or none is left: the latest change of the other program stays.
      if (!isAppError(error, 'file/changed')) throw error
      break
    }
    if ((await hashAt(disk, free)) === placedHash) break
    ;[theirs, free, placedHash] = [free, theirs, theirHash]
  }
  await removeLeftover(disk, theirs)
  await removeLeftover(disk, free)
}

/** Returns the hash of a file; '' where none can be read: it differs from every hash, so that the file is put back. */
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

function asideOf(temp: string, expectedHash: string | undefined): string {
  return temp.replace(
    /\.tmp$/,
    `${expectedHash === undefined ? '' : `-${expectedHash.slice(0, 12)}`}-old.tmp`,
  )
}

/**
 * Removes temporary files that ended hosts of our data folder left in `folder`. A file that holds what somebody wrote
 * while its host was killed gets a visible name instead.
 *
 * Returns the number of files. Shape: files of unknown hosts stay, since those may run on another data folder.
 */
export async function sweepTempFiles(
  disk: Disk,
  folder: string,
  isEnded: (hostId: string) => boolean,
): Promise<number> {
  let swept = 0
  for (const entry of await disk.list(folder)) {
    const [, owner, , expected] = tempPattern.exec(entry.name) ?? []
    if (owner === undefined || !isEnded(owner) || !entry.isFile()) continue
    const path = join(folder, entry.name)
    // The file has a second name where its host was killed while it put a text back.
    const isKeptElsewhere = expected === undefined || ((await disk.lstat(path))?.nlink ?? 1) > 1
    if (isKeptElsewhere || (await hashAt(disk, path)).startsWith(expected)) await disk.remove(path)
    else await showKept(disk, path)
    swept++
  }
  return swept
}

/** Gives a file that was kept aside a name that its folder shows. */
async function showKept(disk: Disk, aside: string): Promise<void> {
  const number = tempPattern.exec(basename(aside))?.[2] ?? ''
  await disk.rename(aside, join(dirname(aside), `tsugi-kept-${number}.txt`))
}

async function removeLeftover(disk: Disk, temp: string): Promise<void> {
  if ((await disk.lstat(temp)) !== undefined) await disk.remove(temp)
}

/** Removes temporary files of ended hosts from folders. Where we may not change one, or it is gone, they stay. */
export async function sweepFolders(
  { disk, log, endedHosts }: { disk: Disk; log: Log; endedHosts(): ReadonlySet<string> },
  folders: Iterable<string>,
): Promise<void> {
  for (const folder of folders) {
    try {
      await sweepTempFiles(disk, folder, (id) => endedHosts().has(id))
    } catch (error) {
      log.write('warn', 'files.sweep', { code: toFileError(error, folder).info.code })
    }
  }
}
