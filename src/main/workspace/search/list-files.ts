import { basename, sep } from 'node:path'
import { isTempFileName } from '../../platform/files/atomic-file.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { failWith } from '../../platform/files/file-error.ts'
import { runGuardedRipgrep } from './run-ripgrep.ts'

/** Maximum number of files that are listed; of a larger folder not all are offered. */
const limitFiles = 500_000
const timeoutMs = 60_000
const notListed = ['!.git', '!.hg', '!.svn']

/**
 * Lists all files of a folder except those that Git ignores, hidden ones included; links are not followed.
 *
 * Shape: paths relative to `root`, separated by `/`, in no order. Errors: `file/not-found`, `file/denied`.
 */
export async function listFiles(disk: Disk, root: string, signal: AbortSignal): Promise<string[]> {
  const pinned = await disk.pinFolder(root).catch(failWith(root))
  try {
    const paths: string[] = []
    const globs = notListed.flatMap((glob) => ['--glob', glob])
    const args = ['--files', '--null', '--hidden', ...globs, '--', './']
    const run = { args, cwd: pinned.path, separator: '\0', timeoutMs, signal } as const
    const { isCut } = await runGuardedRipgrep(disk, await disk.realPath(pinned.path), run, (record) => {
      const path = (sep === '/' ? record : record.replaceAll(sep, '/')).replace(/^\.\//, '')
      if (!isTempFileName(basename(path))) paths.push(path)
      return paths.length < limitFiles
    })
    // A search that was restarted reports names twice.
    return isCut ? [...new Set(paths)] : paths
  } finally {
    await pinned.close()
  }
}
