import type { ErrorInfo } from '../../shared/errors.ts'
import type { DocumentService } from '../documents/document-service.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, limitChangedBytes } from '../platform/files/disk.ts'
import { toFileError } from '../platform/files/file-error.ts'
import { resolveInside } from '../platform/files/real-path.ts'
import type { ChangeSetEntry, ChangeSetState } from '../store/change-set-repository.ts'
import { addedFolderOf, isAbsolutePath, pathBelow } from '../tools/defining/root-path.ts'
import type { AppliedChangeSet, ChangeSets } from './apply-change-set.ts'
import { applyWithDocuments } from './apply-with-documents.ts'
import { checkChange, type FileChange } from './change-plan.ts'
import { type EntryNow, entryAt, planEntries } from './entries/place-entry.ts'

/**
 * The present state of a path, unsaved text of an open document included.
 *
 * `other`: a folder, or no plain file; `elsewhere`: a link leads the path to another place than the one that it names.
 */
export type FileNow =
  | { kind: 'file'; bytes: Uint8Array; hash: string }
  | { kind: 'none' }
  | { kind: 'other' }
  | { kind: 'elsewhere' }

/**
 * A folder to which changes that were prepared earlier are applied.
 *
 * Shape: files of a folder that was added to the session (absolute paths) can be read with `look`. They are not
 * changed here, since a change set covers one folder: `problemOf` refuses such changes.
 */
export type WritableFolder = {
  /** Shape: a real path of the folder, as it was found then. */
  look(path: string): Promise<FileNow>
  /**
   * Why this change cannot be made now; null where it can. Touches nothing.
   *
   * Shape: `oldBytes` is what `look` has just found there; null: no file.
   */
  problemOf(change: FileChange, oldBytes: Uint8Array | null): Promise<ErrorInfo | null>
  /** What lies at a path of the folder itself, its last link not followed. Errors: as `entryAt`. */
  entryAt(path: string): Promise<EntryNow>
  /** As `problemOf`, of a folder or link. */
  entryProblemOf(entry: ChangeSetEntry): Promise<ErrorInfo | null>
  /** Errors: as `applyWithDocuments`. */
  apply(request: Omit<Parameters<ChangeSets['apply']>[0], 'root'>): Promise<AppliedChangeSet>
  stateOf(changeSetId: string): ChangeSetState | null
}

export function createWritableFolder(deps: {
  /** The folder's real path. */
  root: string
  /** The real paths of those that were added to the session. */
  added: readonly string[]
  disk: Disk
  documents: Pick<DocumentService, 'flush' | 'beginChange' | 'fileChanged' | 'fileMoved' | 'fileRemoved'>
  changeSets: Pick<ChangeSets, 'apply' | 'get' | 'settled'>
}): WritableFolder {
  const { root, added, disk, documents, changeSets } = deps

  async function bytesAt(absolute: string): Promise<FileNow> {
    await documents.flush(absolute)
    const stats = await disk.stat(absolute)
    if (stats === undefined) return { kind: 'none' }
    if (!stats.isFile()) return { kind: 'other' }
    const bytes = await disk.read(absolute, limitChangedBytes)
    return { kind: 'file', bytes, hash: contentHash(bytes) }
  }

  return {
    async look(path) {
      try {
        const home = isAbsolutePath(path) ? addedFolderOf(added, path) : root
        if (home === undefined) return { kind: 'elsewhere' }
        const place = await resolveInside(disk, home, path)
        if (place.path !== (home === root ? path : pathBelow(home, path))) return { kind: 'elsewhere' }
        return place.isPresent ? await bytesAt(place.absolute) : { kind: 'none' }
      } catch (error) {
        const failure = toFileError(error, path)
        if (failure.info.code === 'file/outside') return { kind: 'elsewhere' }
        // A file took the place of one of its folders, or a link leads to nothing; or the folder itself is gone.
        const isMissing = failure.info.code === 'file/not-found' && (await disk.stat(root)) !== undefined
        if (isMissing) return { kind: 'none' }
        throw failure
      }
    },
    async problemOf(change, oldBytes) {
      if (isAbsolutePath(change.path)) return { code: 'file/outside', path: change.path }
      try {
        await checkChange(disk, root, change, oldBytes)
        return null
      } catch (error) {
        return toFileError(error, change.path).info
      }
    },
    entryAt: (path) => entryAt(disk, root, path),
    async entryProblemOf(entry) {
      try {
        await planEntries(disk, root, [entry])
        return null
      } catch (error) {
        return toFileError(error, entry.path).info
      }
    },
    apply: (request) => applyWithDocuments(deps, request),
    stateOf: (changeSetId) => changeSets.get(changeSetId)?.state ?? null,
  }
}
