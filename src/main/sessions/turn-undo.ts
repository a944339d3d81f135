import type { UndoPreview } from '../../shared/domain/session.ts'
import { isAppError } from '../../shared/errors.ts'
import type { ChangeSetFile, ChangeSetRecord } from '../store/change-set-repository.ts'
import { pathIn } from '../tools/root-path.ts'
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

  /** Shape: files of other folders than `root`, the session's own, by their absolute paths. */
  async preview(root: string, changeSetIds: readonly string[]): Promise<UndoPreview['files']> {
    const files: UndoPreview['files'] = []
    for (const [at, net] of this.#net(changeSetIds)) {
      for (const { path, oldHash, newHash } of net) {
        const isChangedSince = !(await this.#isUntouched(at, path, newHash))
        const action = oldHash === null ? 'remove' : 'restore'
        files.push({ path: at === root ? path : pathIn(at, path), action, isChangedSince })
      }
    }
    return files
  }

  /**
   * Each folder by itself: one that is gone holds up no other.
   *
   * Shape: `left` are the files that somebody edited since, or that nobody reaches any more.
   */
  async undo(
    root: string,
    changeSetIds: readonly string[],
    operationsIn: (root: string) => Pick<ToolOperations, 'apply'>,
  ): Promise<{ files: string[]; left: string[] }> {
    const files: string[] = []
    const left: string[] = []
    for (const [at, net] of this.#net(changeSetIds)) {
      const name = (path: string): string => (at === root ? path : pathIn(at, path))
      const undone = await this.#undoIn(at, net, operationsIn(at)).catch((error: unknown) => {
        if (at === root || !isAppError(error)) throw error
        return { files: [], left: net.map(({ path }) => path) }
      })
      files.push(...undone.files.map(name))
      left.push(...undone.left.map(name))
    }
    return { files, left }
  }

  async #undoIn(
    root: string,
    net: readonly NetChange[],
    operations: Pick<ToolOperations, 'apply'>,
  ): Promise<{ files: string[]; left: string[] }> {
    const changes: FileChange[] = []
    const left: string[] = []
    for (const change of net) {
      if (await this.#isUntouched(root, change.path, change.newHash))
        changes.push(...(await this.#inverse(change)))
      else left.push(change.path)
    }
    if (changes.length === 0) return { files: [], left }
    const { conflicts } = await operations.apply(changes, 'undo')
    const files = changes.map(({ path }) => path).filter((path) => !conflicts.includes(path))
    return { files, left: [...left, ...conflicts] }
  }

  /** What cannot be looked at is not touched. */
  async #isUntouched(root: string, path: string, hash: string | null): Promise<boolean> {
    try {
      return (await this.#deps.currentHash(root, path)) === hash
    } catch (error) {
      if (!isAppError(error)) throw error
      return false
    }
  }

  /** By folder, the session's own among them. */
  #net(changeSetIds: readonly string[]): Map<string, NetChange[]> {
    const records = changeSetIds.flatMap((id) => this.#deps.changeSet(id) ?? [])
    const byRoot = Map.groupBy(records, ({ root }) => root)
    return new Map([...byRoot].map(([root, of]) => [root, netChanges(of)]))
  }

  async #inverse({ path, oldHash, newHash, mode }: NetChange): Promise<FileChange[]> {
    if (oldHash === null) return newHash === null ? [] : [{ kind: 'delete', path, baseHash: newHash }]
    const bytes = await this.#deps.bytes(oldHash)
    return [{ kind: 'write', path, baseHash: newHash, bytes, ...(mode === null ? {} : { mode }) }]
  }
}
