import { AppError } from '../../shared/errors.ts'
import type { DocumentService } from '../documents/document-service.ts'
import type { Disk } from '../platform/files/disk.ts'
import { type ResolvedPath, resolveInside } from '../platform/files/real-path.ts'
import { SharedLookups } from '../platform/node/shared-lookups.ts'
import type { AppliedChangeSet, ChangeSets } from './apply-change-set.ts'
import { mapTogether } from './map-together.ts'

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

async function placeOf(
  disk: Disk,
  root: string,
  path: string,
  lookups: SharedLookups,
): Promise<ResolvedPath> {
  const place = await resolveInside(disk, root, path, lookups)
  if (place.path !== path) throw new AppError({ code: 'file/changed', path })
  return place
}
