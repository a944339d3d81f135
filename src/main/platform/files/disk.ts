import { constants, type Dirent, type Stats } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../../shared/errors.ts'
import { readRegularFile } from './read-regular-file.ts'

/** A folder held open, so that a link swapped in later cannot lead a write elsewhere. */
export type PinnedFolder = {
  /** Names under this path reach the pinned folder itself where the system can do that (Linux). */
  path: string
  sync(): Promise<void>
  close(): Promise<void>
}

/** The most that a change of a file may hold in memory; larger files are not changed, removed or moved by the app. */
export const limitChangedBytes = 1024 ** 3

type FileOwner = { uid: number; gid: number }

/**
 * The file operations that services use; tests bring one that fails where they want.
 *
 * Shape: absolute paths only. Errors: Node's own; callers translate with `toFileError`.
 */
export type Disk = {
  /**
   * Reads a regular file, links followed. Every reader says how much it can take.
   *
   * Errors: `file/too-large` above `limitBytes`; `file/failed` where it is no regular file, or does not answer.
   */
  read(path: string, limitBytes: number): Promise<Buffer>
  /** The same where the last name must be no link. */
  readPlain(path: string, limitBytes: number): Promise<Buffer>
  /** Creates `path`, which must not exist; the bytes are on the disk when it returns. */
  writeNew(path: string, bytes: Uint8Array, options: { mode: number; owner?: FileOwner }): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Another name for a file, where the file system knows such. */
  link(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  removeFolder(path: string): Promise<void>
  makeFolder(path: string, mode?: number): Promise<void>
  pinFolder(path: string): Promise<PinnedFolder>
  /** Follows links. Undefined where there is nothing. */
  stat(path: string): Promise<Stats | undefined>
  /** Does not follow links. Undefined where there is nothing. */
  lstat(path: string): Promise<Stats | undefined>
  realPath(path: string): Promise<string>
  list(path: string): Promise<Dirent[]>
  /** Bytes that an ordinary user may still write on the disk of `path`. */
  freeBytes(path: string): Promise<number>
  canWrite(path: string): Promise<boolean>
}

/** A file system as Node has it. */
export type FileSystem = typeof nodeFiles

/**
 * The disk of a file system. Electron's shows archives (`.asar`) as folders, also those of the user: a host on it
 * brings the one without.
 */
export function createDisk(fs: FileSystem): Disk {
  return {
    read: (path, limitBytes) => readRegularFile(path, limitBytes, { files: fs }),
    readPlain: (path, limitBytes) => readRegularFile(path, limitBytes, { files: fs, isLinkRefused: true }),
    writeNew: (path, bytes, options) => writeNew(fs, path, bytes, options),
    rename: (from, to) => rename(fs, from, to),
    pinFolder: (path) => pinFolder(fs, path),
    link: (from, to) => fs.link(from, to),
    remove: (path) => fs.unlink(path),
    removeFolder: (path) => fs.rmdir(path),
    makeFolder: async (path, mode = 0o777) => {
      await fs.mkdir(path, { recursive: true, mode })
    },
    stat: (path) => orUndefined(fs.stat(path)),
    lstat: (path) => orUndefined(fs.lstat(path)),
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

/** Node's code of an error of the file system, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** On Windows a virus scanner or indexer may hold the target for a moment. */
async function rename(fs: FileSystem, from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fs.rename(from, to)
    } catch (error) {
      const isHeld = ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '')
      if (process.platform !== 'win32' || !isHeld || attempt === 10) throw error
      await sleep(attempt * 20)
    }
  }
}

async function orUndefined<T>(pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

async function writeNew(
  fs: FileSystem,
  path: string,
  bytes: Uint8Array,
  options: { mode: number; owner?: FileOwner },
): Promise<void> {
  const file = await fs.open(path, 'wx', options.mode)
  try {
    await file.writeFile(bytes)
    await file.chmod(options.mode)
    if (options.owner !== undefined) await keepOwner(file, options.owner)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Only root may give a file away; for everyone else the file is theirs already or stays theirs. */
async function keepOwner(file: nodeFiles.FileHandle, owner: FileOwner): Promise<void> {
  const current = await file.stat()
  if (current.uid === owner.uid && current.gid === owner.gid) return
  try {
    await file.chown(owner.uid, owner.gid)
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error
  }
}

async function pinFolder(fs: FileSystem, path: string): Promise<PinnedFolder> {
  if (process.platform === 'win32') {
    // Windows can neither open nor sync a folder through Node; its renames are journalled by the system.
    return { path, sync: async () => undefined, close: async () => undefined }
  }
  const handle = await fs.open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const isLinux = process.platform === 'linux'
  const pinned = isLinux ? `/proc/self/fd/${handle.fd}` : path
  if ((await fs.realpath(pinned)) !== path) {
    await handle.close()
    throw new AppError({ code: 'file/outside', path })
  }
  return { path: pinned, sync: () => handle.sync(), close: () => handle.close() }
}
