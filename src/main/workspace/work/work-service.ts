import { basename, dirname, extname, join } from 'node:path'
import type { DraftDetails } from '../../../shared/domain/drafting/draft-details.ts'
import type { HistoryEntry, RemovedFile } from '../../../shared/domain/work/history-entry.ts'
import type { RecentWork, TextPlace, Work, WorkEvent } from '../../../shared/domain/work/work.ts'
import type { PageChoice, WorkFile } from '../../../shared/domain/work/work-file.ts'
import type { WritingDay, WritingGoal } from '../../../shared/domain/work/writing-progress.ts'
import { AppError } from '../../../shared/errors.ts'
import { withoutEnd } from '../../../shared/text/without-end.ts'
import type { Clock, Log, Random } from '../../deps.ts'
import { sweepFolders } from '../../platform/files/atomic-file.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { type Disk, errorCode, limitChangedBytes } from '../../platform/files/disk.ts'
import { toFileError } from '../../platform/files/file-error.ts'
import type { FileWatcher } from '../../platform/files/file-watcher.ts'
import {
  checkNewName,
  needAbsolute,
  type ResolvedPath,
  resolveInside,
} from '../../platform/files/real-path.ts'
import type { WorkRepository } from '../../store/works/work-repository.ts'
import type { AppliedChangeSet, ChangeSets } from '../apply-change-set.ts'
import type { FileChange } from '../change-plan.ts'
import { nameOf, OpenWork } from './open-work.ts'
import { openAsFolder, writeProject } from './project-folder.ts'
import type { RemovedFiles } from './removed-files.ts'
import type { RenamedFilesDeps, RenameListener, SessionChanges } from './renamed-files.ts'
import { examineWorkJson, refuseReservedName } from './work-json.ts'

const loadRenamed = () => import('./renamed-files.ts')

/** The note of a change set by which the user removes a file. */
export const removeNote = 'remove'

/** The operations on open documents that a work needs. Shape: `absolute`, `from` and `to` are real paths. */
export type OpenTexts = {
  read(target: { root: string; path: string }): Promise<{ text: string }>
  /** Saves the unsaved text of a file. */
  flush(absolute: string): Promise<void>
  fileMoved(from: string, to: string, path: string): void
  /** Removes a file by `remove`, and closes its document where that succeeds. */
  removeFile(absolute: string, remove: () => Promise<void>): Promise<void>
}

/**
 * Opens works, which are folders of text files, and keeps their lists, order and details.
 *
 * Errors: `work/not-open` for an unknown id. Paths are relative to the work, separated by `/`.
 */
export type WorkService = ReturnType<typeof createWorkService>

export function createWorkService(deps: {
  clock: Clock
  random: Random
  log: Log
  disk: Disk
  hostId: string
  /** Ids of ended hosts of the data folder, whose temporary files are removed. The first call records this host. */
  endedHosts: () => ReadonlySet<string>
  watcher: FileWatcher
  works: WorkRepository
  changeSets: ChangeSets
  removed: () => Promise<RemovedFiles>
  texts: OpenTexts
}) {
  const { disk, works, changeSets, texts } = deps
  const open = new Map<string, OpenWork>()
  const renames: RenamedFilesDeps['heard'] = { now: new Set(), after: new Set() }
  const renaming = { ...deps, heard: renames }

  const need = (workId: string): OpenWork => {
    const work = open.get(workId)
    if (work === undefined) throw new AppError({ code: 'work/not-open', workId })
    return work
  }

  async function openFolder(path: string, lastFile?: string): Promise<Work> {
    deps.endedHosts()
    const root = await disk.realPath(path)
    const json = await examineWorkJson(disk, root)
    const stored = works.open(root, nameOf(root, json.values), deps.clock.now())
    const known = open.get(stored.workId)
    const work = known ?? new OpenWork(deps, stored, json)
    open.set(stored.workId, work)
    await work.refresh()
    if (known === undefined) await sweep(work)
    if (lastFile !== undefined) works.setLastPath(stored.workId, lastFile)
    work.countSoon()
    return work.work()
  }

  /** Removes temporary files of ended hosts; those in folders that we may not change stay. */
  async function sweep(work: OpenWork): Promise<void> {
    const folders = work.files
      .filter(({ kind }) => kind === 'folder')
      .map(({ path }) => join(work.root, path))
    await sweepFolders(deps, [work.root, ...folders])
  }

  /** Resolves a path of a work; refuses the app's own files. Errors: `file/bad-name`. */
  async function placeOf(work: OpenWork, path: string): Promise<ResolvedPath> {
    const place = await resolveInside(disk, work.root, path)
    refuseReservedName(place.path)
    return place
  }

  async function setKind(work: OpenWork, path: string, kind: 'manuscript' | 'material'): Promise<void> {
    await work.patch(({ kinds }) => ({ kinds: { ...kinds, [path]: kind } }))
    await work.refresh()
  }

  /** Turns an error of the file system into a file error about `path`; other errors stay as they are. */
  async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw errorCode(error) === undefined ? error : toFileError(error, path)
    }
  }

  /** Applies a change of one file; throws where it is not finished, since no other file could delay it. */
  async function change(
    work: OpenWork,
    changes: Parameters<ChangeSets['apply']>[0]['changes'],
    note: string,
  ) {
    const applied = await changeSets.apply({ root: work.root, changes, note })
    refuseUnfinished(applied)
    return applied
  }

  async function restore(work: OpenWork, removedId: string): Promise<{ path: string }> {
    const { path, applied } = await (await deps.removed()).restore(work.root, removedId)
    refuseUnfinished(applied)
    await work.refresh()
    return { path }
  }

  return {
    /** Calls `listener` for each renamed file: before windows are told, or after that, when a failure is only logged. */
    onRenamed: (when: 'now' | 'after', listener: RenameListener): void => void renames[when].add(listener),
    /**
     * Opens a folder, a text file's folder with that file, or a project file. A folder whose `work.json` cannot be
     * read opens as well and says so (`Work.workFileProblem`).
     *
     * Errors: `file/not-found`, `file/denied`; `file/bad-name` for a relative path; `work/bad-file` for a `.json` that
     * is no project file.
     */
    async open(path: string): Promise<Work> {
      needAbsolute(path)
      try {
        const real = await disk.realPath(path)
        if ((await disk.stat(real))?.isDirectory()) return await openFolder(real)
        if (extname(real).toLowerCase() === '.json' && basename(real) !== 'work.json')
          return await openFolder(await openAsFolder(deps, real))
        return await openFolder(dirname(real), basename(real))
      } catch (error) {
        throw toFileError(error, path)
      }
    },
    async create(parent: string, name: string): Promise<Work> {
      needAbsolute(parent)
      checkNewName(name)
      refuseReservedName(name)
      const path = join(parent, name)
      try {
        if ((await disk.lstat(path)) !== undefined) throw new AppError({ code: 'file/exists', path })
        await disk.makeFolder(path)
        return await openFolder(path)
      } catch (error) {
        throw toFileError(error, path)
      }
    },
    recent: (): RecentWork[] => works.recent(),
    forget: (root: string): void => works.forget(root),
    get: (workId: string): Work => need(workId).work(),
    rootOf: (workId: string): string => need(workId).root,
    /** Manuscripts in the author's order. */
    manuscripts: (workId: string): WorkFile[] =>
      need(workId).files.filter((file) => file.kind === 'manuscript'),
    /** The work now, then what happens to its files and details. */
    watch: (workId: string, signal: AbortSignal): AsyncGenerator<WorkEvent, void, void> =>
      need(workId).watch(signal),
    details: async (workId: string): Promise<DraftDetails> => need(workId).settledDetails(),
    async updateDetails(workId: string, patch: Partial<DraftDetails>): Promise<DraftDetails> {
      const work = need(workId)
      await work.patch(patch)
      return work.details
    },
    setLastPath: (workId: string, path: string): void => works.setLastPath(need(workId).stored.workId, path),
    keepPlace: (workId: string, path: string, place: TextPlace): void =>
      works.keepPlace(need(workId).stored.workId, path, place),
    /** Shape: the name that the old `work.json` has now; null where nothing was wrong. */
    repairFile: (workId: string): Promise<string | null> => need(workId).repair(),
    addWritten: (workId: string, written: WritingDay): Promise<void> => need(workId).addWritten(written),
    setGoal: (workId: string, goal: WritingGoal | null): Promise<void> => need(workId).setGoal(goal),
    /** Adds `.txt` to a name without ending; keeps a `kind` unlike its place. Errors: `file/exists`, `file/bad-name`. */
    async createFile(workId: string, wanted: string, text = '', kind?: 'manuscript' | 'material') {
      const work = need(workId)
      const path = extname(wanted) === '' ? `${wanted}.txt` : wanted
      return named(path, async () => {
        const { isPresent } = await placeOf(work, path)
        if (isPresent) throw new AppError({ code: 'file/exists', path })
        await change(work, [{ kind: 'write', path, baseHash: null, bytes: Buffer.from(text) }], 'create')
        await work.refresh()
        const made = await resolveInside(disk, work.root, path)
        const listed = work.files.find((file) => file.path === made.path)
        if (listed !== undefined && kind !== undefined && listed.kind !== kind)
          await setKind(work, made.path, kind)
        return { path: made.path }
      })
    },
    /** Makes several files, all or none. Errors: as `createFile`. */
    async createFiles(workId: string, files: readonly { path: string; text: string }[]): Promise<void> {
      const work = need(workId)
      await named(files[0]?.path ?? '', async () => {
        for (const { path } of files) {
          const { isPresent } = await placeOf(work, path)
          if (isPresent) throw new AppError({ code: 'file/exists', path })
        }
        const changes = files.map(({ path, text }) => ({
          kind: 'write' as const,
          path,
          baseHash: null,
          bytes: Buffer.from(text),
        }))
        await change(work, changes, 'create')
        await work.refresh()
      })
    },
    /** Errors: `file/exists`, `file/bad-name`, `file/outside`. */
    async renameFile(workId: string, path: string, newPath: string): Promise<{ path: string }> {
      const work = need(workId)
      const from = await placeOf(work, path)
      await placeOf(work, newPath)
      const to = await named(path, async () => {
        await texts.flush(from.absolute)
        const baseHash = contentHash(await disk.read(from.absolute, limitChangedBytes))
        await change(work, [{ kind: 'move', path, baseHash, to: newPath }], 'rename')
        return resolveInside(disk, work.root, newPath)
      })
      texts.fileMoved(from.absolute, to.absolute, to.path)
      const { followRenames } = await loadRenamed()
      await followRenames(renaming, work, [{ from: from.path, to: to.path }])
      return { path: to.path }
    },
    /** Errors: `file/not-found`. */
    async setKind(workId: string, path: string, kind: 'manuscript' | 'material'): Promise<void> {
      const work = need(workId)
      if (!work.files.some((file) => file.path === path)) throw new AppError({ code: 'file/not-found', path })
      await setKind(work, path, kind)
    },
    /** Chooses the page of a text; null: as the settings say. Errors: `file/not-found`. */
    async setPage(workId: string, path: string, page: PageChoice | null): Promise<void> {
      const work = need(workId)
      if (!work.files.some((file) => file.path === path)) throw new AppError({ code: 'file/not-found', path })
      await work.patch(({ pages: { [path]: _, ...others } }) => ({
        pages: page === null ? others : { ...others, [path]: page },
      }))
      await work.refresh()
    },
    /** Remembers the files that a session's changes create: they are not chapters unless the author says so. */
    noteMade(root: string, changes: readonly FileChange[]): void {
      const paths = changes.flatMap((change) =>
        change.kind === 'write' && change.baseHash === null ? [change.path] : [],
      )
      if (paths.length === 0) return
      for (const work of open.values()) if (work.root === root) work.noteMade(paths)
    },
    async followMoves(request: SessionChanges, applied: AppliedChangeSet): Promise<void> {
      if (request.changes.every(({ kind }) => kind !== 'move')) return
      const { followMoves } = await loadRenamed()
      for (const work of open.values())
        if (work.root === request.root) await followMoves(renaming, work, request, applied)
    },
    /** `restoreFile` with the answer's id brings it back. */
    async removeFile(workId: string, path: string): Promise<{ undoId: string }> {
      const work = need(workId)
      const file = await placeOf(work, path)
      return named(path, async () => {
        await texts.flush(file.absolute)
        let undoId = ''
        await texts.removeFile(file.absolute, async () => {
          const baseHash = contentHash(await disk.read(file.absolute, limitChangedBytes))
          undoId = (await change(work, [{ kind: 'delete', path, baseHash }], removeNote)).id
        })
        const bin = await deps.removed()
        bin.keepHistory(work.root, undoId)
        await work.refresh()
        return { undoId }
      })
    },
    /** Takes back a removal, or a text that was written into a file. Errors: `file/not-found`. */
    async restoreFile(workId: string, undoId: string): Promise<{ path: string }> {
      const work = need(workId)
      const made = changeSets.get(undoId)
      const path = made?.files[0]?.path
      if (made?.root !== work.root || made.note === removeNote || path === undefined)
        return restore(work, undoId)
      refuseUnfinished(await changeSets.undo(undoId))
      await work.refresh()
      return { path }
    },
    removed: async (workId: string): Promise<RemovedFile[]> => (await deps.removed()).list(need(workId).root),
    removedHistory: async (workId: string, removedId: string): Promise<HistoryEntry[]> =>
      (await deps.removed()).history(need(workId).root, removedId),
    readRemoved: async (workId: string, removedId: string, entryId: string | null): Promise<string> =>
      (await deps.removed()).read(need(workId).root, removedId, entryId),
    restoreRemoved: async (workId: string, removedId: string): Promise<{ path: string }> =>
      restore(need(workId), removedId),
    async reorder(workId: string, paths: readonly string[]): Promise<void> {
      const work = need(workId)
      // Files that the window does not name stay at the end, such as one that appeared during the drag.
      await work.patch(({ order }) => ({
        order: [...paths, ...order.filter((path) => !paths.includes(path))],
      }))
      await work.refresh()
    },
    /** Shape: `target` is an absolute path. Errors: as `writeProject`. */
    async exportProject(workId: string, target: string, mayReplace = false): Promise<{ path: string }> {
      const work = need(workId)
      needAbsolute(target)
      refuseReservedName(basename(target))
      const parts: string[] = []
      for (const { path, kind } of work.files)
        if (kind === 'manuscript')
          parts.push(withoutEnd((await texts.read({ root: work.root, path })).text, '\n'))
      const mainText = parts.join('\n\n')
      await writeProject(deps, target, { details: work.details, mainText }, mayReplace)
      return { path: target }
    },
    close(): void {
      for (const work of open.values()) work.close()
      open.clear()
    },
  }
}

function refuseUnfinished(applied: Awaited<ReturnType<ChangeSets['apply']>>): void {
  const [waiting] = applied.waiting
  if (waiting !== undefined) throw new AppError(waiting.error)
  const [path] = applied.conflicts
  if (path !== undefined) throw new AppError({ code: 'file/changed', path })
}
