import type { SpeculationConflict } from '../../../shared/domain/speculation.ts'
import { AppError } from '../../../shared/errors.ts'
import type { ChangeSetRecord } from '../../store/change-set-repository.ts'
import type { CheckpointStore } from '../../workspace/checkpoint-store.ts'
import type { WritableFolder } from '../../workspace/writable-folder.ts'
import { conflictOf, type FileTexts } from './file-conflict.ts'

/** What a file was, is and should have become that a change set left alone. */
export type LeftFiles = {
  /** Errors: `file/not-found` where the change set, the file in it, or its bytes are no longer known. */
  read(changeSetId: string, path: string): Promise<SpeculationConflict>
}

export function createLeftFiles(deps: {
  changeSet(id: string): ChangeSetRecord | undefined
  checkpoints: Pick<CheckpointStore, 'get'>
  /** Shape: `root` is a folder's real path. */
  folder(root: string): Pick<WritableFolder, 'look'>
  texts: Pick<FileTexts, 'read'>
}): LeftFiles {
  const bytesOf = async (hash: string | null) => (hash === null ? null : deps.checkpoints.get(hash))
  return {
    async read(changeSetId, path) {
      const record = deps.changeSet(changeSetId)
      const file = record?.files.find((one) => one.path === path)
      if (record === undefined || file === undefined) throw new AppError({ code: 'file/not-found', path })
      const [baseBytes, newBytes] = [await bytesOf(file.oldHash), await bytesOf(file.newHash)]
      const now = await deps.folder(record.root).look(path)
      return conflictOf(deps.texts, { path, baseHash: file.oldHash, baseBytes, newBytes }, now)
    },
  }
}
