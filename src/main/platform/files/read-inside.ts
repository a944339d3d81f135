import { basename, dirname, join } from 'node:path'
import type { SharedLookups } from '../node/shared-lookups.ts'
import type { Disk } from './disk.ts'
import { toFileError } from './file-error.ts'
import { type ResolvedPath, resolveInside } from './real-path.ts'

/** A file that was read inside of a folder, and where it really lies. */
export type InsideFile = ResolvedPath & { bytes: Buffer }

/**
 * Reads a regular file of a folder that really lies in it; null where nothing has that name.
 *
 * A link is followed only to a place inside. The file's folder is held open while it is read, so that a link that
 * is swapped in cannot lead the reading elsewhere (Linux).
 * Errors: `file/outside`, `file/too-large`, `file/failed` for what is no regular file or cannot be examined;
 * `file/not-found` for a link to nothing.
 */
export async function readInside(
  disk: Disk,
  root: string,
  path: string,
  limitBytes: number,
): Promise<InsideFile | null> {
  const place = await resolveInside(disk, root, path)
  if (!place.isPresent) return null
  return { ...place, bytes: await readPinned(disk, place, limitBytes) }
}

/** Reads a file in the folder that it was found in, even if the folder's name leads elsewhere by now. */
export async function readPinned(
  disk: Disk,
  place: ResolvedPath,
  limitBytes: number,
  lookups?: SharedLookups,
): Promise<Buffer> {
  try {
    // Before the folder is opened: a folder's own name pins nothing.
    const path = dirname(place.absolute)
    const folder = await (lookups?.pinFolder(disk, path) ?? disk.pinFolder(path))
    try {
      return await disk.readPlain(join(folder.path, basename(place.absolute)), limitBytes)
    } finally {
      await folder.close()
    }
  } catch (error) {
    throw toFileError(error, place.path)
  }
}
