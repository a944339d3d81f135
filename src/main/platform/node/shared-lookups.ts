import type { Disk, PinnedFolder } from '../files/disk.ts'

/** Maximum number of folders that are held open at once. */
const limitPinned = 32

/**
 * Shares results between the many look-ups of one task: the real path of a root, and the folders that files are read
 * from. The creator closes it.
 *
 * A root's real path is looked up once: if the root is swapped later, its files count as outside. A folder that was
 * pinned earlier is used again only where it is still at its path.
 */
export class SharedLookups {
  readonly #roots = new Map<string, Promise<string>>()
  readonly #folders = new Map<string, Promise<PinnedFolder>>()
  readonly #opened: Promise<PinnedFolder>[] = []

  /** Errors: as `Disk.realPath`; a failed look-up is made again by the next one. */
  realRoot(disk: Disk, root: string): Promise<string> {
    const known = this.#roots.get(root)
    if (known !== undefined) return known
    const asked = disk.realPath(root)
    this.#roots.set(root, asked)
    asked.catch(() => this.#roots.delete(root))
    return asked
  }

  /** Returns a folder that the caller closes; a shared one stays open then. Errors: as `Disk.pinFolder`. */
  async pinFolder(disk: Disk, path: string): Promise<PinnedFolder> {
    const known = this.#folders.get(path)
    if (known !== undefined) {
      const folder = await known
      if (await isStillThere(disk, folder, path)) return { ...folder, close: async () => undefined }
    }
    if (this.#opened.length >= limitPinned) return disk.pinFolder(path)
    const pinned = disk.pinFolder(path)
    this.#opened.push(pinned)
    this.#folders.set(path, pinned)
    pinned.catch(() => this.#folders.delete(path))
    return { ...(await pinned), close: async () => undefined }
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opened)
    const open = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    await Promise.all(open.map((folder) => folder.close()))
  }
}

/** True where the pinned folder is still at `path`. Windows cannot pin folders, so nothing is checked there. */
async function isStillThere(disk: Disk, folder: PinnedFolder, path: string): Promise<boolean> {
  if (process.platform === 'win32') return true
  return (await disk.realPath(folder.path).catch(() => undefined)) === path
}
