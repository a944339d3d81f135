import { basename, dirname, join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import type { Random } from '../deps.ts'
import { removeExpected, stageFile, tempFileName } from '../platform/files/atomic-file.ts'
import type { Disk, PinnedFolder } from '../platform/files/disk.ts'
import { type ResolvedPath, resolveInside } from '../platform/files/real-path.ts'
import { SharedLookups } from '../platform/node/shared-lookups.ts'
import type { ChangeSetFile } from '../store/works/change-set-repository.ts'
import { currentHash } from './change-plan.ts'
import type { CheckpointStore } from './checkpoint-store.ts'
import { settledTogether } from './map-together.ts'

/** Maximum number of files that are staged before the first of them is renamed, and of folders held open. */
const stagedTogether = 64

type Step = 'before-rename' | 'file-written' | 'before-delete' | 'file-deleted'

/** A file that could not be changed, with the reason. */
export type FailedFile = { file: ChangeSetFile; reason: unknown }

type Deps = {
  disk: Disk
  random: Random
  hostId: string
  checkpoints: Pick<CheckpointStore, 'get'>
  step(name: Step, path: string): Promise<void>
  makeFolders(path: string): Promise<void>
}

/** Contents that are in memory already, by their hash. Null: the change set comes from the journal. */
export type Contents = ReadonlyMap<string, Uint8Array> | null

/** A staged change of a file: `finish` makes it final, `drop` discards it. */
type Prepared = { folder: PinnedFolder; finish(): Promise<void>; drop(): Promise<void> }

/**
 * Changes the files of a committed change set in batches. Of each batch, first all new contents are written to the
 * disk beside their places, then all files are renamed or removed, then each folder is synced once.
 *
 * Shape: yields the failures of each batch before the next one begins. A file that cannot be staged leaves its whole
 * batch as it was, unless somebody else changed the file (`isConflict`).
 */
export async function* placeFiles(
  deps: Deps,
  root: string,
  files: readonly ChangeSetFile[],
  contents: Contents,
  isConflict: (failed: FailedFile) => boolean,
): AsyncGenerator<FailedFile[], void, void> {
  const placer = createPlacer(deps, root, contents)
  for (let at = 0; at < files.length; at += stagedTogether) {
    const folders = createFolders(deps)
    try {
      const failed: FailedFile[] = []
      const prepared: { file: ChangeSetFile; change: Prepared }[] = []
      const some = files.slice(at, at + stagedTogether)
      for (const { item: file, result } of await settledTogether(some, (one) =>
        placer.prepare(one, folders),
      )) {
        if (result.status === 'rejected') failed.push({ file, reason: result.reason })
        else if (result.value !== null) prepared.push({ file, change: result.value })
      }
      if (failed.some((one) => !isConflict(one))) {
        await settledTogether(prepared, ({ change }) => change.drop())
      } else {
        for (const { item, result } of await settledTogether(prepared, ({ change }) => change.finish()))
          if (result.status === 'rejected') failed.push({ file: item.file, reason: result.reason })
        failed.push(...(await unsynced(prepared)))
      }
      yield failed
    } finally {
      await folders.close()
    }
  }
}

async function unsynced(prepared: readonly { file: ChangeSetFile; change: Prepared }[]) {
  const folders = [...new Set(prepared.map(({ change }) => change.folder))]
  const failed: FailedFile[] = []
  for (const { item, result } of await settledTogether(folders, (folder) => folder.sync())) {
    if (result.status === 'fulfilled') continue
    for (const { file, change } of prepared)
      if (change.folder === item) failed.push({ file, reason: result.reason })
  }
  return failed
}

/** Opens the folders of one batch, each pinned once. */
function createFolders({ disk, makeFolders }: Deps) {
  const opened = new Map<string, Promise<PinnedFolder>>()
  return {
    open(path: string): Promise<PinnedFolder> {
      const known = opened.get(path) ?? makeFolders(path).then(() => disk.pinFolder(path))
      opened.set(path, known)
      return known
    },
    async close(): Promise<void> {
      for (const folder of await Promise.allSettled(opened.values()))
        if (folder.status === 'fulfilled') await folder.value.close()
    },
  }
}

function createPlacer({ disk, random, hostId, checkpoints, step }: Deps, root: string, contents: Contents) {
  const lookups = new SharedLookups()
  const tempName = (): string => tempFileName(hostId, random)
  const nothing = async (): Promise<void> => undefined

  async function prepare(file: ChangeSetFile, folders: ReturnType<typeof createFolders>) {
    const target = await resolveInside(disk, root, file.path, lookups)
    // A planned path has no links: this one leads elsewhere by now.
    if (target.path !== file.path) throw new AppError({ code: 'file/outside', path: file.path })
    const { absolute } = target
    const isRemoved = file.newHash === null
    if (isRemoved && !target.isPresent) return null
    // A change set from the journal may be partly done already; one that was just planned is checked at its rename.
    if (!isRemoved && (contents === null || file.oldHash === file.newHash)) {
      const found = await currentHash(disk, target)
      const isDone =
        found === file.newHash && (file.oldHash !== file.newHash || (await hasMode(target, file.mode)))
      if (isDone) return null
      if (found !== file.oldHash) throw new AppError({ code: 'file/changed', path: file.path })
      if (file.oldHash === file.newHash && file.mode !== null) {
        const { mode } = file
        const folder = await folders.open(dirname(absolute))
        return { folder, finish: () => changeMode(file, absolute, mode, folder), drop: nothing }
      }
    }
    const folder = await folders.open(dirname(absolute))
    if (isRemoved) return { folder, finish: () => remove(file, absolute, folder), drop: nothing }
    const bytes = contents?.get(file.newHash ?? '') ?? (await checkpoints.get(file.newHash ?? ''))
    const staged = await stageFile(disk, absolute, bytes, {
      folder,
      tempName: tempName(),
      expectedHash: file.oldHash,
      ...(file.mode === null ? {} : { mode: file.mode }),
    })
    const drop = (): Promise<void> => staged.drop()
    const finish = async (): Promise<void> => {
      try {
        await step('before-rename', file.path)
        if ((await hashStill(file, absolute, folder)) === 'done') return await drop()
      } catch (error) {
        await drop()
        throw error
      }
      await staged.place()
      await step('file-written', file.path)
    }
    return { folder, finish, drop }
  }

  async function remove(file: ChangeSetFile, absolute: string, folder: PinnedFolder): Promise<void> {
    await step('before-delete', file.path)
    await hashStill(file, absolute, folder)
    await removeExpected(disk, join(folder.path, basename(absolute)), {
      tempName: tempName(),
      expectedHash: file.oldHash,
    })
    await step('file-deleted', file.path)
  }

  /** Changes only the permission bits: the file is not replaced, so that a read-only one can be made writable. */
  async function changeMode(file: ChangeSetFile, absolute: string, mode: number, folder: PinnedFolder) {
    await hashStill(file, absolute, folder)
    const target = join(folder.path, basename(absolute))
    const stats = await disk.lstat(target)
    if (stats?.isFile() !== true) throw new AppError({ code: 'file/changed', path: file.path })
    await disk.setMode(target, mode, stats)
    await step('file-written', file.path)
  }

  async function hasMode({ absolute }: ResolvedPath, mode: number | null): Promise<boolean> {
    const stats = await disk.stat(absolute)
    return mode === null || stats === undefined || (stats.mode & 0o7777) === mode
  }

  /**
   * Checks a last time that the place and the content are those that the change was made on; returns `'done'` where
   * somebody has written the new content meanwhile.
   */
  async function hashStill(file: ChangeSetFile, absolute: string, folder: PinnedFolder) {
    const now = await resolveInside(disk, root, file.path, lookups)
    const isMoved = now.absolute !== absolute || (await disk.realPath(folder.path)) !== dirname(absolute)
    if (isMoved) throw new AppError({ code: 'file/outside', path: file.path })
    const hash = await currentHash(disk, now)
    if (hash === file.oldHash) return 'old'
    if (hash !== null && hash === file.newHash) return 'done'
    throw new AppError({ code: 'file/changed', path: file.path })
  }

  return { prepare }
}
