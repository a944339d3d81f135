import { extname, join } from 'node:path'
import type { HistoryEntry } from '../../../shared/domain/work/history-entry.ts'
import type { RemovedFile } from '../../../shared/domain/work/removed-file.ts'
import { AppError } from '../../../shared/errors.ts'
import type { LocalHistory } from '../../documents/local-history.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { resolveInside } from '../../platform/files/real-path.ts'
import { readTextFile } from '../../platform/files/text-file.ts'
import type { ChangeSetRecord, ChangeSetRepository } from '../../store/change-set-repository.ts'
import type { AppliedChangeSet, ChangeSets } from '../apply-change-set.ts'
import type { CheckpointStore } from '../checkpoint-store.ts'

/** The note of a change set by which the user removes a file. */
export const removeNote = 'remove'

export type RemovedFilesDeps = {
  disk: Disk
  changeSets: Pick<ChangeSets, 'apply' | 'undo'>
  journal: Pick<ChangeSetRepository, 'noted' | 'get' | 'setState'>
  checkpoints: Pick<CheckpointStore, 'get'>
  history: Pick<LocalHistory, 'list' | 'read' | 'moved' | 'movedUntil'>
}

/**
 * The bin of a work: files that the user removed, for as long as their bytes are kept.
 *
 * Shape: `root` is the work's real path. Errors: `file/not-found` for what is not in the bin of this work.
 */
export type RemovedFiles = {
  /** Newest first. */
  list(root: string): RemovedFile[]
  /** The local history of the file up to its removal, newest first. */
  history(root: string, removedId: string): HistoryEntry[]
  /** The text of a snapshot; null: as it was removed. Errors: `file/not-text`. */
  read(root: string, removedId: string, entryId: string | null): Promise<string>
  /** Where another file has its path by now, it gets a new name; its history goes with it. */
  restore(root: string, removedId: string): Promise<{ path: string; applied: AppliedChangeSet }>
}

export function createRemovedFiles(deps: RemovedFilesDeps): RemovedFiles {
  const { disk, journal, changeSets, checkpoints, history } = deps

  const need = (root: string, removedId: string) => {
    const record = journal.get(removedId)
    const file = record?.files[0]
    if (record?.root !== root || !isInBin(record) || file?.oldHash == null)
      throw new AppError({ code: 'file/not-found', path: removedId })
    return { record, path: file.path, hash: file.oldHash, mode: file.mode }
  }

  async function freeName(root: string, path: string): Promise<string> {
    const ending = extname(path)
    const stem = path.slice(0, path.length - ending.length)
    for (let copy = 2; ; copy += 1) {
      const name = `${stem} (${copy})${ending}`
      if (!(await resolveInside(disk, root, name)).isPresent) return name
    }
  }

  return {
    list: (root) =>
      journal
        .noted(root, removeNote)
        .filter(isInBin)
        .flatMap(({ id, at, files }) => files.slice(0, 1).map(({ path }) => ({ removedId: id, path, at })))
        .reverse(),
    history(root, removedId) {
      const { path, record } = need(root, removedId)
      return history.list(join(root, path), path).filter(({ at }) => at <= record.at)
    },
    async read(root, removedId, entryId) {
      const { path, hash } = need(root, removedId)
      if (entryId !== null) return history.read(join(root, path), entryId)
      return readTextFile(await checkpoints.get(hash), path).doc.toString()
    },
    async restore(root, removedId) {
      const { path, hash, mode, record } = need(root, removedId)
      const place = await resolveInside(disk, root, path)
      if (!place.isPresent) return { path, applied: await changeSets.undo(removedId) }
      const name = await freeName(root, path)
      const bytes = await checkpoints.get(hash)
      const kept = mode === null ? {} : { mode }
      const applied = await changeSets.apply({
        root,
        changes: [{ kind: 'write', path: name, baseHash: null, bytes, ...kept }],
        note: 'restore',
        alsoWrite: () => {
          journal.setState(removedId, 'undone')
          history.movedUntil(join(root, path), join(root, name), record.at)
        },
        alsoTakeBack: () => {
          journal.setState(removedId, record.state)
          history.moved(join(root, name), join(root, path))
        },
      })
      return { path: name, applied }
    },
  }
}

function isInBin({ note, state }: ChangeSetRecord): boolean {
  return note === removeNote && state === 'done'
}
