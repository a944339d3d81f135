import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { DocumentService } from '../../documents/document-service.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { type Disk, limitChangedBytes } from '../../platform/files/disk.ts'
import { resolveInside } from '../../platform/files/real-path.ts'
import { entryAt } from '../entries/place-entry.ts'
import type { TurnUndoDeps } from './turn-undo.ts'

const limitPaths = 50_000
const pathsAtOnce = 500
const listingMs = 5_000

/** Returns what an undo sees of the disk. Unsaved text of an open document is saved before its file is read. */
export function undoDisk(deps: {
  disk: Disk
  documents: Pick<DocumentService, 'flush'>
  /** Paths of a folder's files, relative to it. */
  listFiles(root: string, signal: AbortSignal): Promise<string[]>
}): Pick<TurnUndoDeps, 'present' | 'entryAt' | 'withContent'> {
  const { disk, documents, listFiles } = deps
  return {
    /** Errors: `file/outside` where a link leads the path elsewhere; `file/exists` where it is no file; `file/…`. */
    async present(root, path) {
      const place = await resolveInside(disk, root, path)
      if (place.path !== path) throw new AppError({ code: 'file/outside', path })
      if (!place.isPresent) return null
      await documents.flush(place.absolute)
      const stats = await disk.stat(place.absolute)
      if (stats === undefined) return null
      if (!stats.isFile()) throw new AppError({ code: 'file/exists', path })
      const bytes = await disk.read(place.absolute, limitChangedBytes)
      return { bytes, hash: contentHash(bytes), mode: stats.mode & 0o7777 }
    },
    entryAt: (root, path) => entryAt(disk, root, path),
    /** Returns no file of a folder that is too large, or does not answer. */
    async withContent(root, bytes) {
      const paths = await listFiles(root, AbortSignal.timeout(listingMs)).catch(() => [])
      if (paths.length > limitPaths) return []
      const found: string[] = []
      for (let from = 0; from < paths.length; from += pathsAtOnce) {
        const some = paths.slice(from, from + pathsAtOnce)
        const stats = await disk.lstatAll(some.map((path) => join(root, path)))
        for (const [index, path] of some.entries()) {
          if (!stats[index]?.isFile() || stats[index].size !== bytes.length) continue
          // Unsaved text makes it another content.
          await documents.flush(join(root, path)).catch(() => undefined)
          const present = await disk.readPlain(join(root, path), bytes.length).catch(() => null)
          if (present?.equals(bytes)) found.push(path)
        }
      }
      return found
    },
  }
}
