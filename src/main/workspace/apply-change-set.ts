import { basename, dirname, join } from 'node:path'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'
import { createSerialQueue } from '../../shared/serial-queue.ts'
import type { Clock, Random } from '../deps.ts'
import { sweepTempFiles } from '../platform/files/atomic-file.ts'
import { type Disk, errorCode } from '../platform/files/disk.ts'
import { failWith, toFileError } from '../platform/files/file-error.ts'
import type {
  ChangeSetEntry,
  ChangeSetFile,
  ChangeSetRecord,
  ChangeSetRepository,
} from '../store/works/change-set-repository.ts'
import type { FileChange } from './change-plan.ts'
import type { CheckpointStore } from './checkpoint-store.ts'
import type { Contents, FailedFile } from './place-files.ts'

/**
 * The result of applying a change set.
 *
 * Shape: `conflicts` are files that were in neither their old nor their new state and were left alone; `waiting` are
 * files that could be neither changed now nor put back, and will be changed at the next recovery.
 */
export type AppliedChangeSet = {
  id: string
  conflicts: string[]
  waiting: { path: string; error: ErrorInfo }[]
}

/** Modules that are loaded with the first change of a file. */
const loadPlan = () => import('./change-plan.ts')
const loadPlacing = () => import('./place-files.ts')
/** Loaded only where needed, since few change sets have folders or links. */
const loadEntries = () => import('./entries/place-entry.ts')

/** The step that a change set has reached; fault tests stop the process at each of these. */
export type ApplyStep =
  | 'planned'
  | 'stored'
  | 'committed'
  | 'before-rename'
  | 'file-written'
  | 'before-delete'
  | 'file-deleted'
  | 'entry-changed'
  | 'finished'

/**
 * Further writes of a change set into the store: `alsoWrite` in the commit point's transaction, `alsoTakeBack` in the
 * transaction that marks the set as taken back.
 */
export type CommitHooks = {
  alsoWrite?: (changeSetId: string) => void
  alsoTakeBack?: (changeSetId: string) => void
}

/**
 * The only way to change files. A set is applied as a whole, even through a crash, and never overwrites an edit of
 * somebody else.
 */
export type ChangeSets = {
  /**
   * Applies `changes` to the folder `root`. A crash or an error before the commit point leaves nothing behind; after
   * it everything is carried out, following a crash by `recover`. Where a file cannot be changed now, the changes made
   * so far are taken back and the error of that file is thrown.
   *
   * `confirm` is called right before the commit point; where it throws, nothing has been changed. `committed` runs
   * right after the commit's transaction, before anything else can; `alsoTakeBack` undoes what it and `alsoWrite` did.
   * Errors: as `planChanges`, all before the commit point.
   */
  apply(
    request: {
      root: string
      changes: readonly FileChange[]
      entries?: readonly ChangeSetEntry[]
      note?: string
      confirm?: () => Promise<void>
      committed?: (changeSetId: string) => void
    } & CommitHooks,
  ): Promise<AppliedChangeSet>
  /** Called by those who apply changes to open files, once their documents show the changes. */
  settled?(
    request: { root: string; changes: readonly FileChange[] },
    applied: AppliedChangeSet,
  ): Promise<void>
  /** Finishes change sets that were committed but not carried out. Run it at start, before files are opened. */
  recover(): Promise<AppliedChangeSet[]>
  /**
   * Takes a change set back by applying a new change set.
   *
   * Errors: `file/changed` where a file was changed since: nothing is touched then; `file/not-found` for an
   * unknown id.
   */
  undo(id: string): Promise<AppliedChangeSet>
  get(id: string): ChangeSetRecord | undefined
  /** The change set and all later ones of its folder, oldest first. */
  from(id: string): ChangeSetRecord[]
  /** Forgets change sets from before `before` and the bytes that only they held. */
  prune(before: number): Promise<void>
}

export function createChangeSets(deps: {
  disk: Disk
  clock: Clock
  random: Random
  hostId: string
  journal: ChangeSetRepository
  checkpoints: CheckpointStore
  /** Earlier hosts of the data folder, which left their temporary files where they were killed. */
  endedHosts(): ReadonlySet<string>
  onStep?: (step: ApplyStep, path?: string) => void | Promise<void>
}): ChangeSets {
  const { disk, journal, checkpoints } = deps
  // One at a time: a set's hashes must hold from its plan to its last file.
  const inTurn = createSerialQueue()
  const step = async (name: ApplyStep, path?: string): Promise<void> => deps.onStep?.(name, path)
  const placing = { ...deps, step, makeFolders }

  async function apply(request: Parameters<ChangeSets['apply']>[0]): Promise<AppliedChangeSet> {
    const root = await disk.realPath(request.root).catch(failWith(request.root))
    const planned = await (await loadPlan()).planChanges(disk, root, request.changes)
    const wanted = request.entries ?? []
    const entries = wanted.length === 0 ? [] : await (await loadEntries()).planEntries(disk, root, wanted)
    await step('planned')
    const contents = planned.flatMap(({ oldBytes, newBytes }) =>
      [oldBytes, newBytes].filter((bytes) => bytes !== null),
    )
    const hashes = await checkpoints.putAll(contents)
    let stored = 0
    const hashOf = (bytes: Uint8Array | null): string | null =>
      bytes === null ? null : (hashes[stored++] ?? null)
    const files = planned.map(({ path, oldBytes, newBytes, mode, oldMode }): ChangeSetFile => {
      return { path, oldHash: hashOf(oldBytes), newHash: hashOf(newBytes), mode, oldMode }
    })
    const contentOf = ({ newHash }: ChangeSetFile, at: number): [string, Uint8Array][] => {
      const bytes = planned[at]?.newBytes ?? null
      return newHash === null || bytes === null ? [] : [[newHash, bytes]]
    }
    await step('stored')
    await request.confirm?.()
    const note = request.note ?? ''
    const id = deps.random.id()
    const at = deps.clock.now()
    const record: ChangeSetRecord = { id, root, at, state: 'committed', note, files, entries }
    try {
      journal.commit(record, request.alsoWrite)
    } catch (error) {
      if (errorCode(error) === 'SQLITE_FULL') throw toFileError(error, root)
      throw error
    }
    request.committed?.(id)
    await step('committed')
    const applied = await carryOut(record, new Map(files.flatMap(contentOf)))
    const [blocked] = applied.waiting
    if (blocked !== undefined && (await isReverted(record, request.alsoTakeBack)))
      throw new AppError(blocked.error)
    return applied
  }

  /**
   * Takes back a change set that cannot be finished while its caller waits: a change that was reported as failed must
   * not happen at a later start. Returns false where it cannot be taken back either; then it is carried out later.
   */
  async function isReverted(record: ChangeSetRecord, alsoTakeBack: CommitHooks['alsoTakeBack']) {
    // Files may have changed places with their permissions: none may end up with more than it had.
    const narrowest = record.files.reduce((bits, { mode }) => bits & (mode ?? 0o7777), 0o7777)
    const files = record.files.map(({ path, oldHash, newHash, mode, oldMode }) => {
      const isReplaced = oldHash !== null && newHash !== null && mode !== null
      const former = oldMode ?? (isReplaced ? narrowest : mode)
      return { path, oldHash: newHash, newHash: oldHash, mode: former, oldMode: null }
    })
    const reverted = { ...record, files, entries: record.entries.map(reversed) }
    const { waiting } = await changeFiles(reverted, null)
    if (waiting.length > 0) return false
    journal.setState(record.id, 'undone', alsoTakeBack && (() => alsoTakeBack(record.id)))
    return true
  }

  async function carryOut(record: ChangeSetRecord, contents: Contents): Promise<AppliedChangeSet> {
    const result = await changeFiles(record, contents)
    if (result.waiting.length === 0)
      journal.setState(record.id, result.conflicts.length > 0 ? 'conflict' : 'done')
    await step('finished')
    return result
  }

  async function changeFiles(record: ChangeSetRecord, contents: Contents): Promise<AppliedChangeSet> {
    const result: AppliedChangeSet = { id: record.id, conflicts: [], waiting: [] }
    const writes = record.files.filter((file) => file.newHash !== null)
    const deletions = record.files.filter((file) => file.newHash === null)
    const unwritten = new Set<string | null>()
    const entries = record.entries.length === 0 ? null : await loadEntries()
    const { placeFiles } = await loadPlacing()
    // Where another program changed the place first, what lies there now stays. Names are checked before they enter
    // the journal: a bad one means a damaged journal, and waiting would not help.
    const isConflict = ({ code }: ErrorInfo): boolean =>
      ['file/changed', 'file/outside', 'file/exists'].includes(code) ||
      (contents === null && code === 'file/bad-name')
    const note = (path: string, reason: unknown): { isConflict: boolean } => {
      const { info } = toFileError(reason, path)
      if (isConflict(info)) result.conflicts.push(path)
      else result.waiting.push({ path, error: info })
      return { isConflict: isConflict(info) }
    }
    const changeEntries = async (part: 'first' | 'last'): Promise<void> => {
      if (entries === null) return
      for (const entry of entries.inOrder(record.entries)[part]) {
        await entries
          .placeEntry({ ...deps, makeFolders }, record.root, entry)
          .catch((error: unknown) => note(entry.path, error))
        await step('entry-changed', entry.path)
      }
    }
    await changeEntries('first')
    if (result.waiting.length > 0) return result
    const conflictOf = ({ reason, file }: FailedFile): boolean =>
      isConflict(toFileError(reason, file.path).info)
    for (const files of [writes, deletions]) {
      // The second half of a move whose first half found its place occupied: the content stays where it is.
      const lost = files.filter(({ newHash, oldHash }) => newHash === null && unwritten.has(oldHash))
      for (const { path } of lost) note(path, new AppError({ code: 'file/changed', path }))
      const rest = files.filter((file) => !lost.includes(file))
      for await (const failed of placeFiles(placing, record.root, rest, contents, conflictOf)) {
        for (const { file, reason } of failed)
          if (note(file.path, reason).isConflict) unwritten.add(file.newHash)
        if (result.waiting.length > 0) return result
      }
    }
    await changeEntries('last')
    return result
  }

  /** Removes what the killed host left beside the files of a set. A folder that cannot be read fails later, with its files. */
  async function sweepFolders({ root, files }: ChangeSetRecord): Promise<void> {
    const ended = deps.endedHosts()
    for (const folder of new Set(files.map(({ path }) => dirname(join(root, path)))))
      await sweepTempFiles(disk, folder, (id) => ended.has(id)).catch(() => undefined)
  }

  async function makeFolders(path: string): Promise<void> {
    if ((await disk.stat(path)) !== undefined) return
    await makeFolders(dirname(path))
    // Works in the folder that is held open, so that a link that replaces it cannot lead elsewhere.
    const parent = await disk.pinFolder(dirname(path))
    try {
      await disk.makeFolder(join(parent.path, basename(path)))
      await parent.sync()
    } finally {
      await parent.close()
    }
  }

  async function inverse(record: ChangeSetRecord): Promise<FileChange[]> {
    const changes: FileChange[] = []
    for (const { path, oldHash, newHash, mode, oldMode } of record.files) {
      if (oldHash !== null) {
        const bytes = await checkpoints.get(oldHash)
        const former = oldMode ?? mode
        const kept = former === null ? {} : { mode: former }
        changes.push({ kind: 'write', path, baseHash: newHash, bytes, ...kept })
      } else if (newHash !== null) {
        changes.push({ kind: 'delete', path, baseHash: newHash })
      }
    }
    return changes
  }

  return {
    apply: (request) => inTurn(() => apply(request)),
    recover: () =>
      inTurn(async () => {
        const results: AppliedChangeSet[] = []
        for (const record of journal.inState('committed')) {
          // A folder with a temporary file of the killed host could not be removed.
          await sweepFolders(record)
          results.push(await carryOut(record, null))
        }
        return results
      }),
    undo: (id) =>
      inTurn(async () => {
        const record = journal.get(id)
        if (record === undefined) throw new AppError({ code: 'file/not-found', path: id })
        const { root, note, state } = record
        const alsoWrite = (): void => journal.setState(id, 'undone')
        try {
          const [changes, entries] = [await inverse(record), record.entries.map(reversed)]
          return await apply({ root, changes, entries, note: `undo ${note}`.trim(), alsoWrite })
        } catch (error) {
          journal.setState(id, state)
          throw error
        }
      }),
    get: (id) => journal.get(id),
    from: (id) => journal.from(id),
    prune: (before) =>
      inTurn(async () => {
        await checkpoints.sweep(journal.prune(before))
      }),
  }
}

function reversed({ path, before, after }: ChangeSetEntry): ChangeSetEntry {
  return { path, before: after, after: before }
}
