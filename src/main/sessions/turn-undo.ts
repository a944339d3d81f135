import type { UndoPreview } from '../../shared/domain/session.ts'
import type { ChangeSetFile, ChangeSetRecord } from '../store/change-set-repository.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'
import type { FileChange } from '../workspace/change-plan.ts'

export type TurnUndoDeps = {
  changeSet(id: string): ChangeSetRecord | undefined
  /** Bytes that a change replaced. Errors: `file/not-found` where they were forgotten. */
  bytes(hash: string): Promise<Uint8Array>
  /** Hash of a file's content now; null where there is none. */
  currentHash(root: string, path: string): Promise<string | null>
}

/** What several changes come to for one file: how it was before the first and after the last of them. */
export type NetChange = Pick<ChangeSetFile, 'path' | 'oldHash' | 'newHash' | 'mode'>

/** Files that are as they were at first are left out. Shape: records oldest first. */
export function netChanges(records: readonly ChangeSetRecord[]): NetChange[] {
  const byPath = new Map<string, NetChange>()
  for (const { path, oldHash, newHash, mode } of records.flatMap(({ files }) => files)) {
    const first = byPath.get(path) ?? { oldHash, mode }
    byPath.set(path, { path, oldHash: first.oldHash, newHash, mode: first.mode })
  }
  return [...byPath.values()].filter(({ oldHash, newHash }) => oldHash !== newHash)
}

/** Takes back what a session's turns did to files: each file whole, and only where nobody edited it since. */
export class TurnUndo {
  readonly #deps: TurnUndoDeps

  constructor(deps: TurnUndoDeps) {
    this.#deps = deps
  }

  async preview(root: string, changeSetIds: readonly string[]): Promise<UndoPreview['files']> {
    const files: UndoPreview['files'] = []
    for (const { path, oldHash, newHash } of this.#net(changeSetIds)) {
      const isChangedSince = (await this.#deps.currentHash(root, path)) !== newHash
      files.push({ path, action: oldHash === null ? 'remove' : 'restore', isChangedSince })
    }
    return files
  }

  /** Shape: `left` are the files that somebody edited since. Null: there was nothing to take back. */
  async undo(
    root: string,
    changeSetIds: readonly string[],
    operations: Pick<ToolOperations, 'apply'>,
  ): Promise<{ changeSetId: string | null; files: string[]; left: string[] }> {
    const changes: FileChange[] = []
    const left: string[] = []
    for (const net of this.#net(changeSetIds)) {
      const isUntouched = (await this.#deps.currentHash(root, net.path)) === net.newHash
      if (isUntouched) changes.push(...(await this.#inverse(net)))
      else left.push(net.path)
    }
    if (changes.length === 0) return { changeSetId: null, files: [], left }
    const { changeSetId, conflicts } = await operations.apply(changes, 'undo')
    const files = changes.map(({ path }) => path).filter((path) => !conflicts.includes(path))
    return { changeSetId, files, left: [...left, ...conflicts] }
  }

  #net(changeSetIds: readonly string[]): NetChange[] {
    return netChanges(changeSetIds.flatMap((id) => this.#deps.changeSet(id) ?? []))
  }

  async #inverse({ path, oldHash, newHash, mode }: NetChange): Promise<FileChange[]> {
    if (oldHash === null) return newHash === null ? [] : [{ kind: 'delete', path, baseHash: newHash }]
    const bytes = await this.#deps.bytes(oldHash)
    return [{ kind: 'write', path, baseHash: newHash, bytes, ...(mode === null ? {} : { mode }) }]
  }
}
