import { basename, dirname } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { isReadOnlyMode } from '../platform/files/atomic-file.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, limitChangedBytes } from '../platform/files/disk.ts'
import { checkNewName, type ResolvedPath, resolveInside } from '../platform/files/real-path.ts'

/**
 * A change to one file of a folder.
 *
 * Shape: `path` and `to` relative to the folder, separated by `/`. `baseHash` is the content that the change
 * was made on (`contentHash`); null: the file does not exist. With `mode` the file gets these permission bits,
 * without it keeps its own.
 */
export type FileChange =
  | { kind: 'write'; path: string; baseHash: string | null; bytes: Uint8Array; mode?: number }
  | { kind: 'delete'; path: string; baseHash: string }
  | { kind: 'move'; path: string; baseHash: string; to: string }

/**
 * What a change comes down to: one file and its bytes before and after. Null: no such file. `oldMode` as of
 * `ChangeSetFile`.
 */
export type PlannedFile = {
  path: string
  absolute: string
  oldBytes: Buffer | null
  newBytes: Uint8Array | null
  mode: number | null
  oldMode: number | null
}

/** Free space that a change must leave, for the folders' own growth. */
const spareBytes = 1_000_000

/**
 * Works out what the changes come down to, and refuses before anything is touched.
 *
 * Errors: `file/changed` where a file is no longer what the change was made on; `file/outside`,
 * `file/bad-name`, `file/exists`, `file/read-only`, `file/denied`, `file/disk-full`.
 */
export async function planChanges(
  disk: Disk,
  root: string,
  changes: readonly FileChange[],
): Promise<PlannedFile[]> {
  const planned: PlannedFile[] = []
  for (const change of changes) {
    const from = await resolveInside(disk, root, change.path)
    const oldBytes = await readFile(disk, from)
    if (hashOf(oldBytes) !== change.baseHash) throw new AppError({ code: 'file/changed', path: change.path })
    if (change.kind === 'write') {
      planned.push(await planWrite(disk, from, oldBytes, change.bytes, change.mode ?? null))
      continue
    }
    const stats = await refuseLink(disk, root, change.path, from)
    if (change.kind === 'move') {
      const to = await resolveInside(disk, root, change.to)
      if (to.isPresent) throw new AppError({ code: 'file/exists', path: change.to })
      planned.push(await planWrite(disk, to, null, oldBytes ?? Buffer.alloc(0), stats))
    }
    await refuseClosedFolder(disk, from)
    planned.push({
      path: from.path,
      absolute: from.absolute,
      oldBytes,
      newBytes: null,
      mode: stats,
      oldMode: null,
    })
  }
  refuseTwice(planned)
  await refuseFullDisk(disk, root, planned)
  return planned
}

/** The hash of a file's content now; null where there is none. */
export async function currentHash(disk: Disk, file: ResolvedPath): Promise<string | null> {
  return hashOf(await readFile(disk, file))
}

function hashOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : contentHash(bytes)
}

async function readFile(disk: Disk, file: ResolvedPath): Promise<Buffer | null> {
  if (!file.isPresent) return null
  const stats = await disk.stat(file.absolute)
  if (stats === undefined) return null
  if (!stats.isFile()) throw new AppError({ code: 'file/exists', path: file.path })
  return disk.read(file.absolute, limitChangedBytes)
}

async function planWrite(
  disk: Disk,
  file: ResolvedPath,
  oldBytes: Buffer | null,
  newBytes: Uint8Array,
  mode: number | null,
): Promise<PlannedFile> {
  if (!file.isPresent) await checkNewPath(disk, file)
  const stats = await disk.stat(file.absolute)
  const isModeAlone = mode !== null && oldBytes?.equals(newBytes) === true
  if (stats !== undefined && isReadOnlyMode(stats.mode) && !isModeAlone) {
    throw new AppError({ code: 'file/read-only', path: file.path })
  }
  await refuseClosedFolder(disk, file)
  const had = stats === undefined ? null : stats.mode & 0o7777
  const oldMode = mode === null || mode === had ? null : had
  return { path: file.path, absolute: file.absolute, oldBytes, newBytes, mode, oldMode }
}

/** Names that are to be made must be good; those that are there already are as they are. */
async function checkNewPath(disk: Disk, file: ResolvedPath): Promise<void> {
  for (let path = file.absolute; (await disk.stat(path)) === undefined; path = dirname(path)) {
    checkNewName(basename(path))
  }
}

async function refuseClosedFolder(disk: Disk, file: ResolvedPath): Promise<void> {
  let folder = dirname(file.absolute)
  while ((await disk.stat(folder)) === undefined) folder = dirname(folder)
  if (!(await disk.canWrite(folder))) throw new AppError({ code: 'file/denied', path: file.path })
}

/** Deleting or moving through a link would take its target away; the link itself has no content to keep. */
async function refuseLink(
  disk: Disk,
  root: string,
  path: string,
  file: ResolvedPath,
): Promise<number | null> {
  const parent = await resolveInside(disk, root, dirname(path))
  const isLink = dirname(file.absolute) !== parent.absolute
  const entry = (await disk.list(parent.absolute)).find(({ name }) => name === basename(path))
  if (isLink || entry?.isSymbolicLink()) throw new AppError({ code: 'file/denied', path })
  const stats = await disk.stat(file.absolute)
  return stats === undefined ? null : stats.mode & 0o7777
}

function refuseTwice(planned: readonly PlannedFile[]): void {
  const seen = new Set<string>()
  for (const { absolute, path } of planned) {
    if (seen.has(absolute)) throw new AppError({ code: 'file/exists', path })
    seen.add(absolute)
  }
}

async function refuseFullDisk(disk: Disk, root: string, planned: readonly PlannedFile[]): Promise<void> {
  const needed = planned.reduce((sum, file) => sum + (file.newBytes?.length ?? 0), 0)
  if (needed > 0 && (await disk.freeBytes(root)) < needed + spareBytes) {
    throw new AppError({ code: 'file/disk-full', path: root })
  }
}
