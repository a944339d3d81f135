import { isAbsolute } from 'node:path'
import type { Disk } from '../../platform/files/disk.ts'
import type { FileKinds } from './file-kinds.ts'
import { fileId, holdsKey, isStoredContent, type LinkedSecrets, linkedSecrets } from './folder-assessment.ts'

/**
 * Returns a test for secret files of a folder: by name, as a secret of the folder under another name, by a key in what
 * git keeps, or by lying where version control keeps contents. Make a new test for each assessment: it caches.
 *
 * Shape: paths are absolute or relative to `root`, which is looked through at most once, and only where a file with
 * several names is asked about; each of these is a secret where the folder is too large.
 */
export function secretFiles(disk: Disk, kinds: FileKinds, root: string): (path: string) => Promise<boolean> {
  let linked: Promise<LinkedSecrets> | undefined
  return async (path) => {
    if (kinds.isSecret(path) || isStoredContent(path)) return true
    const absolute = isAbsolute(path) ? path : `${root}/${path}`
    const id = await fileId(disk, absolute)
    if (id === null) return holdsKey(disk, absolute)
    linked ??= linkedSecrets(disk, kinds, root)
    const ids = await linked
    return ids === 'unknown' || ids.has(id) || (await holdsKey(disk, absolute))
  }
}
