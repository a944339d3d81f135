import { extname, join } from 'node:path'
import type { HistoryEntry, RemovedFile } from '../../../shared/domain/work/history-entry.ts'
import { AppError } from '../../../shared/errors.ts'
import type { LocalHistory } from '../../documents/local-history.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { resolveInside } from '../../platform/files/real-path.ts'
import { readTextFile } from '../../platform/files/text-file.ts'
import type { ChangeSetRecord, ChangeSetRepository } from '../../store/works/change-set-repository.ts'
import type { AppliedChangeSet, ChangeSets } from '../apply-change-set.ts'
import type { CheckpointStore } from '../checkpoint-store.ts'
import { removeNote } from './work-service.ts'

const keptFolder = 'removed:'

export type RemovedFilesDeps = {
  disk: Disk
  changeSets: Pick<ChangeSets, 'apply' | 'undo'>
  journal: Pick<ChangeSetRepository, 'noted' | 'get' | 'setState'>
  checkpoints: Pick<CheckpointStore, 'get'>
  history: Pick<LocalHistory, 'list' | 'read' | 'moved' | 'movedUntil' | 'filesUnder'>
}

/**
 * The bin of a work: files that the user removed, for as long as their bytes are kept.
 *
 * Shape: `root` is the work's real path. Errors: `file/not-found` for what is not in the bin of this work.
 */
export type RemovedFiles = ReturnType<typeof createRemovedFiles>

export function createRemovedFiles(deps: RemovedFilesDeps) {
  const { disk, journal, changeSets, checkpoints, history } = deps

  const need = (root: string, removedId: string) => {
    const record = journal.get(removedId)
    const file = record?.files[0]
    if (record?.root !== root || !isInBin(record) || file?.oldHash == null)
      throw new AppError({ code: 'file/not-found', path: removedId })
    return { record, path: file.path, hash: file.oldHash, mode: file.mode }
  }

  /** Returns the name under which the history has a removed file. */
  function historyName(root: string, path: string, removedId: string): string {
    const kept = keptName(root, path, removedId)
    return history.list(kept, path).length > 0 ? kept : join(root, path)
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
    /** Newest first. */
    list: (root: string): RemovedFile[] =>
      journal
        .noted(root, removeNote)
        .filter(isInBin)
        .flatMap(({ id, at, files }) => files.slice(0, 1).map(({ path }) => ({ removedId: id, path, at })))
        .reverse(),
    /** Keeps the history of a file that was just removed apart from that of a later file in its place. */
    keepHistory(root: string, removedId: string): void {
      const { path } = need(root, removedId)
      history.moved(join(root, path), keptName(root, path, removedId))
    },
    /** Gives histories of files that are in no bin any more back to their paths. */
    releaseHistories(): void {
      for (const name of history.filesUnder(keptFolder)) {
        const [removedId = '', ...path] = name.slice(keptFolder.length).split(':')
        const record = journal.get(removedId)
        if (record === undefined || !isInBin(record)) history.moved(name, path.join(':'))
      }
    },
    /** Returns the local history of the file up to its removal, newest first. */
    history(root: string, removedId: string): HistoryEntry[] {
      const { path, record } = need(root, removedId)
      const kept = history.list(keptName(root, path, removedId), path)
      if (kept.length > 0) return kept
      // An earlier version of the app, or a host that ended just after the removal, left the history where it was.
      return history.list(join(root, path), path).filter(({ at }) => at <= record.at)
    },
    /** Returns the text of a snapshot; null: as it was removed. Errors: `file/not-text`. */
    async read(root: string, removedId: string, entryId: string | null): Promise<string> {
      const { path, hash } = need(root, removedId)
      if (entryId !== null) return history.read(historyName(root, path, removedId), entryId)
      return readTextFile(await checkpoints.get(hash), path).doc.toString()
    },
    /** Restores a removed file with its history. It gets a new name where another file has its path by now. */
    async restore(root: string, removedId: string): Promise<{ path: string; applied: AppliedChangeSet }> {
      const { path, hash, mode, record } = need(root, removedId)
      const place = await resolveInside(disk, root, path)
      const name = historyName(root, path, removedId)
      if (!place.isPresent) {
        const applied = await changeSets.undo(removedId)
        if (applied.conflicts.length + applied.waiting.length === 0) history.moved(name, join(root, path))
        return { path, applied }
      }
      const newPath = await freeName(root, path)
      const bytes = await checkpoints.get(hash)
      const kept = mode === null ? {} : { mode }
      const applied = await changeSets.apply({
        root,
        changes: [{ kind: 'write', path: newPath, baseHash: null, bytes, ...kept }],
        note: 'restore',
        alsoWrite: () => {
          journal.setState(removedId, 'undone')
          if (name === join(root, path)) history.movedUntil(name, join(root, newPath), record.at)
          else history.moved(name, join(root, newPath))
        },
        alsoTakeBack: () => {
          journal.setState(removedId, record.state)
          history.moved(join(root, newPath), name)
        },
      })
      return { path: newPath, applied }
    },
  }
}

/** Returns the name of a removed file in the history: no absolute path, so that no other file has it. */
function keptName(root: string, path: string, removedId: string): string {
  return `${keptFolder}${removedId}:${join(root, path)}`
}

function isInBin({ note, state }: ChangeSetRecord): boolean {
  return note === removeNote && state === 'done'
}
