import { execFile } from 'node:child_process'
import { lstat, mkdir, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, namesIn, onErrorCode } from '../platform/files/disk.ts'
import { toFileError } from '../platform/files/file-error.ts'
import { mountedName } from './wall.ts'

const runParts = ['lower', 'upper', 'work', 'merged', 'tmp']
const runName = /^[0-9a-f]{32}$/

/** The folders of sandboxed runs, below `sandbox/` of the data folder. */
export function createRunFolders(disk: Pick<Disk, 'writeNew' | 'lstat'>, dataDir: string) {
  const top = join(dataDir, 'sandbox')
  const runs = join(top, 'runs')
  const pathOf = (runId: string): string => join(runs, runId)

  return {
    pathOf,
    /** Creates a run's folders and returns the time by their disk. Units: nanoseconds. Errors: `file/…`. */
    async make(runId: string): Promise<bigint> {
      const folder = pathOf(runId)
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await Promise.all(runParts.map((name) => mkdir(join(folder, name), { mode: 0o700 })))
        return (await lstat(join(folder, 'tmp'), { bigint: true })).ctimeNs
      } catch (error) {
        throw toFileError(error, folder)
      }
    },
    remove: (runId: string): Promise<void> => removeRun(pathOf(runId)),
    list: async (): Promise<string[]> => (await namesIn(runs)).filter((name) => runName.test(name)),
    /** Returns the private home of a project, which keeps caches of packages. */
    async homeOf(project: string): Promise<string> {
      const folder = join(top, 'homes', contentHash(project).slice(0, 32))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return folder
    },
    /** Returns a file without permissions, which is mounted over another to hide it. */
    async mask(): Promise<string> {
      const path = join(top, 'mask')
      await mkdir(top, { recursive: true, mode: 0o700 })
      if ((await disk.lstat(path)) === undefined)
        await disk.writeNew(path, new Uint8Array(), { mode: 0 }).catch(onErrorCode(['EEXIST'], undefined))
      return path
    },
  }
}

/** Removes the folders of a command that wrote nothing. Returns false, and leaves the rest, where a file lies in them. */
async function removeEmpty(folder: string): Promise<boolean> {
  const inside = [mountedName, ...runParts].map((name) => join(folder, name))
  try {
    await rmdir(join(folder, 'work', 'work'))
    await Promise.all(inside.map((path) => (path.endsWith(mountedName) ? unlink(path) : rmdir(path))))
    await rmdir(folder)
    return true
  } catch {
    // The caller removes the rest in the slower way.
    return false
  }
}

/**
 * Removes a run's folders. Where that fails, gives permissions to folders that a command or the mount left without any,
 * and removes them by the system's programs, which also reach paths that are too long for Node.
 */
async function removeRun(folder: string): Promise<void> {
  if (await removeEmpty(folder)) return
  try {
    await rm(folder, { recursive: true, force: true })
  } catch {
    const script = 'chmod -R u+rwx -- "$1"; exec rm -rf -- "$1"'
    await promisify(execFile)('/bin/sh', ['-c', script, 'remove', folder], {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    })
  }
}
