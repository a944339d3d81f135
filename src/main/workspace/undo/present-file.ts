import { AppError } from '../../../shared/errors.ts'
import type { DocumentService } from '../../documents/document-service.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { type Disk, limitChangedBytes } from '../../platform/files/disk.ts'
import { resolveInside } from '../../platform/files/real-path.ts'
import type { PresentFile } from './undo-plan.ts'

/**
 * Reads a file of the folder `root`; unsaved text of an open document is saved first. Null where there is none.
 *
 * Errors: `file/outside` where a link leads the path elsewhere; `file/exists` where it is no file; those of reading and
 * of saving.
 */
export async function presentFile(
  { disk, documents }: { disk: Disk; documents: Pick<DocumentService, 'flush'> },
  root: string,
  path: string,
): Promise<PresentFile | null> {
  const place = await resolveInside(disk, root, path)
  if (place.path !== path) throw new AppError({ code: 'file/outside', path })
  if (!place.isPresent) return null
  await documents.flush(place.absolute)
  const stats = await disk.stat(place.absolute)
  if (stats === undefined) return null
  if (!stats.isFile()) throw new AppError({ code: 'file/exists', path })
  const bytes = await disk.read(place.absolute, limitChangedBytes)
  return { bytes, hash: contentHash(bytes), mode: stats.mode & 0o7777 }
}
