import * as nodeFiles from 'node:fs'
import { constants, type Dirent, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../../shared/errors.ts'
import { readPart, readRegularFile } from './read-regular-file.ts'

/** A folder held open, so that a link swapped in later cannot lead a write elsewhere. */
export type PinnedFolder = {
  /** Names under this path reach the pinned folder itself where the system can do that (Linux). */
  path: string
  sync(): Promise<void>
  close(): Promise<void>
}

/** Size limit for changes, which hold the file in memory: the app does not change, remove or move larger files. */
export const limitChangedBytes = 1024 ** 3

type FileOwner = { uid: number; gid: number }

/** Shape: `isSynced` false leaves the sync out, for files that may be lost in a crash. */
type NewFileOptions = { mode?: number; owner?: FileOwner; isSynced?: boolean }

/**
 * The file operations that services use; tests pass one that fails where they want.
 *
 * Shape: absolute paths only. Errors: Node's own; callers translate with `toFileError`.
 */
export type Disk = {
  /**
   * Reads a regular file, links followed. The caller sets the size that it accepts.
   *
   * Errors: `file/too-large` above `limitBytes`; `file/failed` where it is no regular file, or does not answer.
   */
  read(path: string, limitBytes: number): Promise<Buffer>
  /** As `read`, but refuses a link as the last name. */
  readPlain(path: string, limitBytes: number): Promise<Buffer>
  /** Reads exactly `sizeBytes` from `fromByte` on, links followed. Errors: as `read`; where the file ends before. */
  readPart(path: string, fromByte: number, sizeBytes: number): Promise<Buffer>
  /**
   * Creates `path`, which must not exist; the bytes are on the disk when it returns, unless `isSynced` is false.
   * Without `mode` the file gets the permissions that the user's programs give to new files.
   */
  writeNew(path: string, bytes: Uint8Array, options: NewFileOptions): Promise<void>
  /**
   * Errors: with `replaced`, `file/changed` where `to` is another file by then; nothing else of ours runs between
   * that check and the rename.
   */
  rename(from: string, to: string, replaced?: Stats): Promise<void>
  /** Changes nothing where `path` is not `file` any more, with the permissions that it had. */
  setMode(path: string, mode: number, file: Stats): Promise<void>
  /** Creates a hard link, where the file system has them. */
  link(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Removes `path` where it still is `file`, and does nothing else. Does not follow links. */
  removeSame(path: string, file: Stats): Promise<void>
  /** Makes a symbolic link. Errors: `EEXIST` where anything is there. */
  makeSymbolicLink(target: string, path: string): Promise<void>
  readSymbolicLink(path: string): Promise<string>
  removeFolder(path: string): Promise<void>
  makeFolder(path: string, mode?: number): Promise<void>
  pinFolder(path: string): Promise<PinnedFolder>
  /** Follows links. Undefined where there is nothing. */
  stat(path: string): Promise<Stats | undefined>
  /** Does not follow links. Undefined where there is nothing. */
  lstat(path: string): Promise<Stats | undefined>
  /**
   * Looks at some hundred files as `lstat` does, in the order of `paths`. Where the disk answers at once, this takes a
   * fifth of the processor time of a promise for each file, and blocks the thread for a few milliseconds at most.
   */
  lstatAll(paths: readonly string[]): Promise<(Stats | undefined)[]>
  realPath(path: string): Promise<string>
  list(path: string): Promise<Dirent[]>
  /** Bytes that an ordinary user may still write on the disk of `path`. */
  freeBytes(path: string): Promise<number>
  canWrite(path: string): Promise<boolean>
}

/** The parts of Node's `fs` that the disk uses. */
export type FileSystem = Pick<
  typeof nodeFiles,
  'promises' | 'lstatSync' | 'renameSync' | 'chmodSync' | 'unlinkSync'
>

type AsyncFiles = FileSystem['promises']

/**
 * Creates the disk of a file system. Electron's `fs` shows archives (`.asar`) as folders, also those of the user, so
 * that a host in Electron passes its `fs` without archives.
 */
export function createDisk(files: FileSystem): Disk {
  const fs = files.promises
  return {
    read: (path, limitBytes) => readRegularFile(path, limitBytes, { files: fs }),
    readPlain: (path, limitBytes) => readRegularFile(path, limitBytes, { files: fs, isLinkRefused: true }),
    readPart: (path, fromByte, sizeBytes) => readPart(path, fromByte, sizeBytes, { files: fs }),
    writeNew: (path, bytes, options) => writeNew(fs, path, bytes, options),
    rename: (from, to, replaced) => rename(files, from, to, replaced),
    setMode: async (path, mode, file) => {
      if (isSame(files.lstatSync(path, { throwIfNoEntry: false }), file)) files.chmodSync(path, mode)
    },
    pinFolder: (path) => pinFolder(fs, path),
    link: (from, to) => fs.link(from, to),
    remove: (path) => fs.unlink(path),
    removeSame: async (path, file) => {
      if (isSame(files.lstatSync(path, { throwIfNoEntry: false }), file)) files.unlinkSync(path)
    },
    makeSymbolicLink: (target, path) => fs.symlink(target, path),
    readSymbolicLink: (path) => fs.readlink(path),
    removeFolder: (path) => fs.rmdir(path),
    makeFolder: async (path, mode = 0o777) => {
      await fs.mkdir(path, { recursive: true, mode })
    },
    stat: (path) => fs.stat(path).catch(missing),
    lstat: (path) => fs.lstat(path).catch(missing),
    lstatAll: (paths) => lstatAll(files, paths),
    realPath: (path) => fs.realpath(path),
    list: (path) => fs.readdir(path, { withFileTypes: true }),
    freeBytes: async (path) => {
      const { bavail, bsize } = await fs.statfs(path)
      return bavail * bsize
    },
    canWrite: (path) =>
      fs.access(path, constants.W_OK).then(
        () => true,
        () => false,
      ),
  }
}

export const nodeDisk: Disk = createDisk(nodeFiles)

/** Returns Node's code of an error of the file system, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Returns a handler for `catch` that answers an error with one of these codes with `value`, and throws all else. */
export function onErrorCode<T>(codes: readonly string[], value: T): (error: unknown) => T {
  return (error) => {
    if (codes.includes(errorCode(error) ?? '')) return value
    throw error
  }
}

/** Returns the names in a folder; none where it does not exist. */
export function namesIn(folder: string): Promise<string[]> {
  return nodeFiles.promises.readdir(folder).catch(onErrorCode(['ENOENT'], []))
}

/** Renames a file; tries again on Windows, where a virus scanner may hold the target for a moment. */
async function rename(files: FileSystem, from: string, to: string, replaced?: Stats): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (replaced === undefined) return await files.promises.rename(from, to)
      const now = files.lstatSync(to, { throwIfNoEntry: false })
      if (now?.ino !== replaced.ino || now.dev !== replaced.dev)
        throw new AppError({ code: 'file/changed', path: to })
      // Synchronous, right after the check: in the thread pool another operation could come between.
      return files.renameSync(from, to)
    } catch (error) {
      const isHeld = ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '')
      if (process.platform !== 'win32' || !isHeld || attempt === 10) throw error
      await sleep(attempt * 20)
    }
  }
}

/** Returns undefined for an error that says that nothing is at a path. Errors: throws any other one. */
const missing = onErrorCode(['ENOENT', 'ENOTDIR'], undefined)

async function writeNew(
  fs: AsyncFiles,
  path: string,
  bytes: Uint8Array,
  options: NewFileOptions,
): Promise<void> {
  const file = await fs.open(path, 'wx', options.mode)
  try {
    await file.writeFile(bytes)
    // The owner first: a change of owner takes some permission bits away.
    const isOwned = options.owner === undefined || (await keepsOwner(file, options.owner))
    // Without the set-id bits: a file that stays ours must not run as us by another owner's mode.
    if (options.mode !== undefined) await file.chmod(isOwned ? options.mode : options.mode & 0o1777)
    if (options.isSynced !== false) await file.sync()
  } finally {
    await file.close()
  }
}

/** Changes the owner. Returns false where the file stays ours, since only root may change an owner. */
async function keepsOwner(file: FileHandle, owner: FileOwner): Promise<boolean> {
  const current = await file.stat()
  if (current.uid === owner.uid && current.gid === owner.gid) return true
  return file.chown(owner.uid, owner.gid).then(() => true, onErrorCode(['EPERM'], false))
}

/** Longest time for which a look at many files blocks its thread, besides the last file. Units: ms. */
const limitBlockedMs = 4

async function lstatAll(files: FileSystem, paths: readonly string[]): Promise<(Stats | undefined)[]> {
  const [first, ...others] = paths
  if (first === undefined) return []
  // The thread pool asks for the first one: a disk that does not answer must not hold the thread up.
  const stats = [await files.promises.lstat(first).catch(missing)]
  const endAt = performance.now() + limitBlockedMs
  for (const path of others) {
    if (performance.now() > endAt) break
    stats.push(lookNow(files, path))
  }
  // A slow disk answers several requests of the thread pool at a time.
  const left = paths.slice(stats.length).map((path) => files.promises.lstat(path).catch(missing))
  return stats.concat(await Promise.all(left))
}

function lookNow(files: FileSystem, path: string): Stats | undefined {
  try {
    return files.lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return missing(error)
  }
}

function isSame(found: Stats | undefined, file: Stats): boolean {
  return found?.ino === file.ino && found.dev === file.dev && found.mode === file.mode
}

async function pinFolder(fs: AsyncFiles, path: string): Promise<PinnedFolder> {
  if (process.platform === 'win32') {
    // Windows can neither open nor sync a folder through Node; its renames are journalled by the system.
    return { path, sync: async () => undefined, close: async () => undefined }
  }
  const handle = await fs.open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const isLinux = process.platform === 'linux'
  const pinned = isLinux ? `/proc/self/fd/${handle.fd}` : path
  try {
    if ((await fs.realpath(pinned)) !== path) throw new AppError({ code: 'file/outside', path })
  } catch (error) {
    await handle.close()
    throw error
  }
  return { path: pinned, sync: () => handle.sync(), close: () => handle.close() }
}
