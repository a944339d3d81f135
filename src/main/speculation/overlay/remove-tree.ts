import { join } from 'node:path'
import { type Disk, errorCode } from '../../platform/files/disk.ts'

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
