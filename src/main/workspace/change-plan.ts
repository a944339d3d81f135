import { basename, dirname, join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { isReadOnlyMode } from '../platform/files/atomic-file.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, limitChangedBytes } from '../platform/files/disk.ts'
import { checkNewName, type ResolvedPath, resolveInside } from '../platform/files/real-path.ts'
import { SharedLookups } from '../platform/node/shared-lookups.ts'
import { mapTogether } from './map-together.ts'

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
 * One file that a change affects, with its bytes before and after. Null: no such file. `oldMode` as in
 * `ChangeSetFile`.
 */
export type PlannedFile = {
  path: string
  absolute: string
  oldBytes: Uint8Array | null
  newBytes: Uint8Array | null
  mode: number | null
  oldMode: number | null
}

/** Free space that a change must leave, for the folders' own growth. */
const spareBytes = 1_000_000

/**
 * Returns the files that the changes affect, with their bytes before and after. Changes nothing itself.
 *
 * Errors: `file/changed` where a file is no longer what the change was made on; `file/outside`,
 * `file/bad-name`, `file/exists`, `file/read-only`, `file/denied`, `file/disk-full`.
 */
export async function planChanges(disk: Disk, root: string, changes: readonly FileChange[]) {
  const context = contextIn(disk, root)
  const planned = (await mapTogether(changes, (change) => planChange(context, change, null))).flat()
  refuseTwice(planned)
  await refuseFullDisk(disk, root, planned)
  return planned
}

/**
 * Refuses a change as `planChanges` does, by the content that the caller has just read.
 *
 * Shape: `oldBytes` is that of the change's base; null: no such file.
 */
export async function checkChange(disk: Disk, root: string, change: FileChange, oldBytes: Uint8Array | null) {
  await refuseFullDisk(disk, root, await planChange(contextIn(disk, root), change, { oldBytes }))
}

/** The folder of one change set, and lookups that its changes share. Shape: `canWrite` by folder. */
type PlanContext = {
  disk: Disk
  root: string
  lookups: SharedLookups
  canWrite: Map<string, Promise<boolean>>
}

function contextIn(disk: Disk, root: string): PlanContext {
  return { disk, root, lookups: new SharedLookups(), canWrite: new Map() }
}

/** Shape: `read` null: the content is read here. */
async function planChange(
  context: PlanContext,
  change: FileChange,
  read: { oldBytes: Uint8Array | null } | null,
) {
  const { disk, root, lookups } = context
  const planned: PlannedFile[] = []
  const from = await resolveInside(disk, root, change.path, lookups)
  const oldBytes = read === null ? await readFile(disk, from) : read.oldBytes
  if (hashOf(oldBytes) !== change.baseHash) throw new AppError({ code: 'file/changed', path: change.path })
  if (change.kind === 'write')
    return [await planWrite(context, from, oldBytes, change.bytes, change.mode ?? null)]
  const stats = await refuseLink(context, change.path, from)
  if (change.kind === 'move') {
    const to = await resolveInside(disk, root, change.to, lookups)
    if (to.isPresent) throw new AppError({ code: 'file/exists', path: change.to })
    planned.push(await planWrite(context, to, null, oldBytes ?? Buffer.alloc(0), stats))
  }
  await refuseClosedFolder(context, from)
  const { path, absolute } = from
  return [...planned, { path, absolute, oldBytes, newBytes: null, mode: stats, oldMode: null }]
}

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
  context: PlanContext,
  file: ResolvedPath,
  oldBytes: Uint8Array | null,
  newBytes: Uint8Array,
  mode: number | null,
): Promise<PlannedFile> {
  if (!file.isPresent) await checkNewPath(context.disk, file)
  const stats = await context.disk.stat(file.absolute)
  const isModeAlone = mode !== null && oldBytes !== null && Buffer.compare(oldBytes, newBytes) === 0
  if (stats !== undefined && isReadOnlyMode(stats.mode) && !isModeAlone)
    throw new AppError({ code: 'file/read-only', path: file.path })
  await refuseClosedFolder(context, file)
  const had = stats === undefined ? null : stats.mode & 0o7777
  const oldMode = mode === null || mode === had ? null : had
  return { path: file.path, absolute: file.absolute, oldBytes, newBytes, mode, oldMode }
}

/** Refuses bad names of files and folders that would be created; existing names are accepted as they are. */
async function checkNewPath(disk: Disk, file: ResolvedPath): Promise<void> {
  for (let path = file.absolute; (await disk.stat(path)) === undefined; path = dirname(path))
    checkNewName(basename(path))
}

async function refuseClosedFolder(context: PlanContext, file: ResolvedPath): Promise<void> {
  const folder = dirname(file.absolute)
  const known = context.canWrite.get(folder) ?? canWriteIn(context.disk, folder)
  context.canWrite.set(folder, known)
  if (!(await known)) throw new AppError({ code: 'file/denied', path: file.path })
}

async function canWriteIn(disk: Disk, path: string): Promise<boolean> {
  let folder = path
  while ((await disk.stat(folder)) === undefined) folder = dirname(folder)
  return disk.canWrite(folder)
}

/** Refuses to delete or move a link: through it, the target would be removed. */
async function refuseLink(context: PlanContext, path: string, file: ResolvedPath): Promise<number | null> {
  const { disk } = context
  const parent = await resolveInside(disk, context.root, dirname(path), context.lookups)
  const isLink = dirname(file.absolute) !== parent.absolute
  const entry = await disk.lstat(join(parent.absolute, basename(path)))
  if (isLink || entry?.isSymbolicLink()) throw new AppError({ code: 'file/denied', path })
  const stats = await disk.stat(file.absolute)
  return stats === undefined ? null : stats.mode & 0o7777
}

function refuseTwice(planned: readonly PlannedFile[]): void {
  const seen = new Set<string>()
  for (const { absolute, path, oldBytes } of planned) {
    // Of two new names that differ by Unicode composition alone, the second would be found as the first.
    const place = oldBytes === null ? absolute.normalize('NFC') : absolute
    if (seen.has(place)) throw new AppError({ code: 'file/exists', path })
    seen.add(place)
  }
}

async function refuseFullDisk(disk: Disk, root: string, planned: readonly PlannedFile[]): Promise<void> {
  const needed = planned.reduce((sum, file) => sum + (file.newBytes?.length ?? 0), 0)
  if (needed > 0 && (await disk.freeBytes(root)) < needed + spareBytes)
    throw new AppError({ code: 'file/disk-full', path: root })
}
