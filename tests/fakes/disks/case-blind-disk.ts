import { basename, dirname, join } from 'node:path'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'

/** A case-insensitive disk, like those of Windows and macOS: a name in another case finds the existing one. */
export function caseBlindDisk(): Disk {
  const there = async (path: string): Promise<string> => {
    if (dirname(path) === path || (await nodeDisk.lstat(path)) !== undefined) return path
    const folder = await there(dirname(path))
    const name = basename(path)
    const stats = await nodeDisk.stat(folder)
    const entries = stats?.isDirectory() ? await nodeDisk.list(folder) : []
    const twin = entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase())
    return join(folder, twin?.name ?? name)
  }
  return {
    ...nodeDisk,
    read: async (path, limit) => nodeDisk.read(await there(path), limit),
    readPlain: async (path, limit) => nodeDisk.readPlain(await there(path), limit),
    writeNew: async (path, bytes, options) => nodeDisk.writeNew(await there(path), bytes, options),
    rename: async (from, to) => nodeDisk.rename(await there(from), await there(to)),
    remove: async (path) => nodeDisk.remove(await there(path)),
    makeFolder: async (path, mode) => nodeDisk.makeFolder(await there(path), mode),
    pinFolder: async (path) => nodeDisk.pinFolder(await there(path)),
    stat: async (path) => nodeDisk.stat(await there(path)),
    lstat: async (path) => nodeDisk.lstat(await there(path)),
    realPath: async (path) => nodeDisk.realPath(await there(path)),
    list: async (path) => nodeDisk.list(await there(path)),
    canWrite: async (path) => nodeDisk.canWrite(await there(path)),
  }
}
