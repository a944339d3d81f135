import { AppError } from '../../../shared/errors.ts'
import { isTempFileName } from '../../platform/files/atomic-file.ts'

/** Name of the file in a work's folder that holds the work's details, order and kinds. */
export const workFileName = 'work.json'

/** Folders whose content the app or Git reads as instructions. */
const reservedFolders = new Set(['.tsugi', '.git'])

/**
 * Refuses names that the app itself reads or writes: no request of a window makes, renames or removes them.
 *
 * Shape: `path` is relative to the work's real folder, links resolved. Letter case and composition do not count,
 * since not every file system tells them apart.
 * Errors: `file/bad-name`.
 */
export function refuseReservedName(path: string): void {
  const names = path.split('/').map(spelledAlike)
  const isOwn =
    names[0] === workFileName ||
    names.some((name) => reservedFolders.has(name)) ||
    names.some((name) => isTempFileName(name))
  if (isOwn) throw new AppError({ code: 'file/bad-name', name: path })
}

function spelledAlike(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}
