import { AppError, type ErrorInfo } from '../../shared/errors.ts'
import type { DocumentService } from '../documents/document-service.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, limitChangedBytes } from '../platform/files/disk.ts'
import { toFileError } from '../platform/files/file-error.ts'
import { resolveInside } from '../platform/files/real-path.ts'
import { SharedLookups } from '../platform/node/shared-lookups.ts'
import type { ChangeSetEntry, ChangeSetState } from '../store/works/change-set-repository.ts'
import { addedFolderOf, isAbsolutePath, pathBelow } from '../tools/defining/root-path.ts'
import type { AppliedChangeSet, ChangeSets } from './apply-change-set.ts'
import { checkChange, type FileChange } from './change-plan.ts'
import { type EntryNow, entryAt, planEntries } from './entries/place-entry.ts'
import { mapTogether } from './map-together.ts'

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
export type WritableFolder = ReturnType<typeof createWritableFolder>

export function createWritableFolder(
  deps: Deps & {
    /** The real paths of those that were added to the session. */
    added: readonly string[]
    changeSets: Pick<ChangeSets, 'get'>
  },
) {
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
    /** Shape: a real path of the folder, as it was found then. */
    async look(path: string): Promise<FileNow> {
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
    /**
     * Returns why this change cannot be made now; null where it can. Touches nothing.
     *
     * Shape: `oldBytes` is what `look` has just found there; null: no file.
     */
    async problemOf(change: FileChange, oldBytes: Uint8Array | null): Promise<ErrorInfo | null> {
      if (isAbsolutePath(change.path)) return { code: 'file/outside', path: change.path }
      try {
        await checkChange(disk, root, change, oldBytes)
        return null
      } catch (error) {
        return toFileError(error, change.path).info
      }
    },
    /** Returns the entry at a path of the folder, its last link not followed. Errors: as `entryAt`. */
    entryAt: (path: string): Promise<EntryNow> => entryAt(disk, root, path),
    /** As `problemOf`, of a folder or link. */
    async entryProblemOf(entry: ChangeSetEntry): Promise<ErrorInfo | null> {
      try {
        await planEntries(disk, root, [entry])
        return null
      } catch (error) {
        return toFileError(error, entry.path).info
      }
    },
    /** Errors: as `applyWithDocuments`. */
    apply: (request: Omit<Parameters<ChangeSets['apply']>[0], 'root'>): Promise<AppliedChangeSet> =>
      applyWithDocuments(deps, request),
    stateOf: (changeSetId: string): ChangeSetState | null => changeSets.get(changeSetId)?.state ?? null,
  }
}

type Deps = {
  /** The folder's real path. */
  root: string
  disk: Disk
  documents: Pick<DocumentService, 'flush' | 'beginChange' | 'fileChanged' | 'fileMoved' | 'fileRemoved'>
  changeSets: Pick<ChangeSets, 'apply' | 'settled'>
}

/**
 * Applies a change set to a folder whose files may be open in windows. Their unsaved text is saved first, so that a
 * change that was made without it is refused by its base hash; afterwards each window is shown its file as it is.
 *
 * Errors: as `ChangeSets.apply`; `file/changed` where a path leads elsewhere than when the change was worked out.
 */
export async function applyWithDocuments(
  { root, disk, documents, changeSets }: Deps,
  request: Omit<Parameters<ChangeSets['apply']>[0], 'root'>,
): Promise<AppliedChangeSet> {
  const { changes } = request
  const lookups = new SharedLookups()
  const places = await mapTogether(changes, ({ path }) => placeOf(disk, root, path, lookups))
  for (const change of changes) if (change.kind === 'move') await placeOf(disk, root, change.to, lookups)
  for (const { absolute } of places) await documents.flush(absolute)
  const endChange = documents.beginChange(places.map(({ absolute }) => absolute))
  try {
    const applied = await changeSets.apply({ ...request, root })
    const undone = new Set([...applied.conflicts, ...applied.waiting.map(({ path }) => path)])
    for (const [index, change] of changes.entries()) {
      const from = places[index]
      if (from === undefined || undone.has(from.path)) continue
      if (change.kind === 'write') await documents.fileChanged(from.absolute)
      else if (change.kind === 'delete') await documents.fileRemoved(from.absolute)
      else {
        const to = await resolveInside(disk, root, change.to)
        if (!undone.has(to.path)) documents.fileMoved(from.absolute, to.absolute, to.path)
      }
    }
    await changeSets.settled?.({ root, changes }, applied)
    return applied
  } finally {
    endChange()
  }
}

async function placeOf(disk: Disk, root: string, path: string, lookups: SharedLookups) {
  const place = await resolveInside(disk, root, path, lookups)
  if (place.path !== path) throw new AppError({ code: 'file/changed', path })
  return place
}
