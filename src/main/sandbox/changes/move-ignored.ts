import { chmod, lstat, mkdir, readlink, rename, rmdir, symlink, unlink, utimes } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { contentHash } from '../../platform/files/content-hash.ts'
import { type Disk, errorCode, limitChangedBytes, nodeDisk } from '../../platform/files/disk.ts'
import { foldersAbove } from '../../platform/files/real-path.ts'
import type { UpperChange } from './read-upper.ts'

/**
 * Paths that were not moved. Shape: of `left`, something else is in the place, or somebody else changed or holds it; for
 * `failed`, `error` is the first error.
 */
export type MoveFinding = { left: string[]; failed: string[]; error?: unknown }

/**
 * Moves ignored files from the upper folder of a run into the project, without following a link. Skips files that were
 * moved before, so that it can be repeated after a crash. Leaves the paths in `disturbed`.
 */
export async function moveIgnored(
  disk: Pick<Disk, 'readPlain' | 'writeNew'>,
  upper: string,
  project: string,
  changes: readonly UpperChange[],
  disturbed: ReadonlySet<string> = new Set(),
): Promise<MoveFinding> {
  const finding: MoveFinding = { left: [], failed: [] }
  const folders = new SafeFolders(project, upper)
  const upperFolders = new SafeFolders(upper)
  const stranded = new StrandedContents(disk)
  /** Returns false where the path is to be left. Errors: Node's own, such as a full disk. */
  const carryOut = async (change: UpperChange): Promise<boolean> => {
    const { path } = change
    const [from, target] = [join(upper, path), join(project, path)]
    if (change.kind === 'folder') return folders.make(target)
    if (change.kind === 'gone') {
      if (disturbed.has(path) || (await stranded.hasFile(target))) return false
      await remove(folders, upperFolders, { upper, project, path })
      return true
    }
    const isMoved = (await kindAt(from)) !== change.kind
    if (isMoved) return true
    if (!(await folders.make(dirname(target))) || (await kindAt(target)) === 'folder') return false
    // A crash came between the two steps of a link.
    if (change.kind === 'link' && (await leadsTo(target, change.target))) return true
    // As above, of a file that was copied to another disk.
    if (disturbed.has(path)) return change.kind === 'file' && (await isSameFile(disk, from, target))
    if (change.kind === 'link') await putLink(from, target, change.target)
    else await putFile(disk, from, target, change.mode, besideOf(upper, target))
    return true
  }
  for (const change of inOrder(changes)) {
    const { kind, path } = change
    try {
      if (await carryOut(change)) continue
      finding.left.push(path)
    } catch (error) {
      // The other files still have to be moved.
      finding.failed.push(path)
      finding.error ??= error
    }
    if (kind !== 'file') continue
    await unlink(besideOf(upper, join(project, path))).catch(() => undefined)
    await stranded.add(join(upper, path))
  }
  return finding
}

/** Sorts removals last, except those that make room: at, above or below a path where something is put. */
function inOrder(changes: readonly UpperChange[]): UpperChange[] {
  const isGone = ({ kind }: UpperChange): boolean => kind === 'gone'
  const put = new Set(changes.flatMap((change) => (isGone(change) ? [] : change.path)))
  const above = new Set([...put].flatMap(foldersAbove))
  const isObstacle = ({ path }: UpperChange): boolean =>
    above.has(path) || [path, ...foldersAbove(path)].some((one) => put.has(one))
  const rank = (change: UpperChange): number => (isGone(change) ? (isObstacle(change) ? 0 : 2) : 1)
  return [...changes].sort((one, other) => rank(one) - rank(other))
}

/** Makes folders below `top` that are not links. A new one gets the permissions of its counterpart below `like`. */
class SafeFolders {
  readonly #known = new Set<string>()
  readonly #top: string
  readonly #like: string

  constructor(top: string, like = top) {
    this.#known.add(top)
    this.#top = top
    this.#like = like
  }

  /** Creates folders; returns false where something else than a folder is in the place of one. */
  async make(folder: string): Promise<boolean> {
    if (this.#known.has(folder)) return true
    if (!(await this.make(dirname(folder)))) return false
    const kind = await kindAt(folder)
    if (kind === 'none') await this.#makeNew(folder)
    else if (kind !== 'folder') return false
    this.#known.add(folder)
    return true
  }

  /** Makes a folder with the permissions that the command gave it. A group that it inherits from above stays. */
  async #makeNew(folder: string): Promise<void> {
    const like = join(this.#like, relative(this.#top, folder))
    if ((await kindAt(like)) !== 'folder') return mkdir(folder)
    const given = (await lstat(like)).mode & 0o777
    // Never with more permissions than these, also where the host is killed in between.
    await mkdir(folder, given)
    const made = await lstat(folder)
    await chmod(folder, (made.mode & 0o7000) | given)
  }

  /** True where the path exists and consists of folders alone, without links. */
  async leadsTo(folder: string): Promise<boolean> {
    if (this.#known.has(folder)) return true
    if (!(await this.leadsTo(dirname(folder))) || (await kindAt(folder)) !== 'folder') return false
    this.#known.add(folder)
    return true
  }
}

async function remove(
  folders: SafeFolders,
  upperFolders: SafeFolders,
  { upper, project, path }: { upper: string; project: string; path: string },
): Promise<void> {
  const target = join(project, path)
  if (await folders.leadsTo(dirname(target))) {
    const kind = await kindAt(target)
    if (kind === 'file' || kind === 'link') await unlink(target)
    else if (kind !== 'none') return
  }
  // Removes folders above that the command removed as well: those that are no folders in the upper folder. A host that
  // was killed may have removed the file, and some of the folders.
  for (let at = dirname(path); at !== '.'; at = dirname(at)) {
    if (await upperFolders.leadsTo(join(upper, at))) return
    const folder = join(project, at)
    if (!(await folders.leadsTo(folder))) continue
    try {
      await rmdir(folder)
    } catch (error) {
      // It is not empty: the rest goes with later paths, or stays.
      if (errorCode(error) !== 'ENOENT') return
    }
  }
}

function leadsTo(link: string, target: string): Promise<boolean> {
  return readlink(link).then(
    (there) => there === target,
    () => false,
  )
}

async function putLink(from: string, target: string, to: string): Promise<void> {
  if ((await kindAt(target)) !== 'none') await unlink(target)
  await symlink(to, target)
  await unlink(from).catch(() => undefined)
}

async function putFile(
  disk: Pick<Disk, 'readPlain' | 'writeNew'>,
  from: string,
  target: string,
  mode: number,
  beside: string,
): Promise<void> {
  await chmod(from, mode)
  try {
    await rename(from, target)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    await copyOver(disk, from, target, mode, beside)
  }
}

/**
 * Returns the place of a temporary file in the folder of `target`. Its name is that of the run, so that the next host
 * finds it; the file's own name may already have the maximum length.
 */
function besideOf(upper: string, target: string): string {
  return join(dirname(target), `.tsugi-move-${basename(dirname(upper))}.tmp`)
}

/** True for two files with the same content. A file that cannot be read is not the same. */
async function isSameFile(disk: Pick<Disk, 'readPlain'>, one: string, other: string): Promise<boolean> {
  const [oneStats, otherStats] = await Promise.all([one, other].map((path) => lstat(path).catch(() => null)))
  if (oneStats?.size !== otherStats?.size) return false
  const read = (path: string): Promise<Buffer | null> =>
    disk.readPlain(path, limitChangedBytes).catch(() => null)
  const [left, right] = await Promise.all([read(one), read(other)])
  return left !== null && right !== null && left.equals(right)
}

/** Copies to another disk: writes a temporary file, keeps the times, which builds compare, and renames it. */
async function copyOver(
  disk: Pick<Disk, 'readPlain' | 'writeNew'>,
  from: string,
  target: string,
  mode: number,
  beside: string,
): Promise<void> {
  await chmod(from, mode | 0o400)
  await unlink(beside).catch(() => undefined)
  await disk.writeNew(beside, await disk.readPlain(from, limitChangedBytes), { mode })
  const { atime, mtime } = await lstat(from)
  await utimes(beside, atime, mtime)
  await rename(beside, target)
  await unlink(from)
}

async function kindAt(path: string): Promise<'none' | 'file' | 'link' | 'folder' | 'other'> {
  const stats = await nodeDisk.lstat(path)
  if (stats === undefined) return 'none'
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isDirectory()) return 'folder'
  return stats.isFile() ? 'file' : 'other'
}

/**
 * The contents of files that are left in a command's copy. A file with such a content may have been renamed: where it lay
 * before, it must stay, or its text is lost. Empty files do not count.
 */
export class StrandedContents {
  readonly #disk: Pick<Disk, 'readPlain'>
  readonly #sizes = new Set<number>()
  readonly #contents = new Set<string>()

  constructor(disk: Pick<Disk, 'readPlain'>) {
    this.#disk = disk
  }

  /** Adds a file; does nothing where none is there. */
  async add(path: string): Promise<void> {
    const sizeBytes = await sizeOf(path)
    if (sizeBytes === 0) return
    this.#sizes.add(sizeBytes)
    this.#contents.add(await this.#contentOf(path, sizeBytes))
  }

  async hasFile(path: string): Promise<boolean> {
    if (this.#sizes.size === 0) return false
    const sizeBytes = await sizeOf(path)
    return this.#sizes.has(sizeBytes) && this.#contents.has(await this.#contentOf(path, sizeBytes))
  }

  has(bytes: Uint8Array): boolean {
    return this.#sizes.has(bytes.length) && this.#contents.has(contentHash(bytes))
  }

  /** Files that are too large, or cannot be read, are compared by their size. */
  #contentOf(path: string, sizeBytes: number): Promise<string> {
    return this.#disk.readPlain(path, limitChangedBytes).then(contentHash, () => `${sizeBytes} bytes`)
  }
}

async function sizeOf(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined)
  return stats?.isFile() ? stats.size : 0
}
