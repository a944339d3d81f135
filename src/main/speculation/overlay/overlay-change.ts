import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { isReadOnlyMode } from '../../platform/files/atomic-file.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { checkNewName } from '../../platform/files/real-path.ts'
import { isAbsolutePath } from '../../tools/defining/root-path.ts'
import type { FoundPath, ToolOperations } from '../../tools/tool-operations.ts'
import type { FileChange } from '../../workspace/change-plan.ts'
import { type Layer, type LayerChange, parentOf, type StoredBytes } from './layer.ts'
import type { OverlayPaths, Place } from './overlay-paths.ts'
import type { PrivateFiles } from './private-files.ts'

const newFileMode = 0o644

/** A file as a change finds it. Shape: `bytes` of a file below, `stored` of one of ours; both null: none. */
type Current = { bytes: Uint8Array | null; stored: StoredBytes | null; hash: string | null }

/** The effect of a change on one path. Shape: `from` is what a moved file was. */
type Planned = {
  path: string
  found: FoundPath
  current: Current
  becomes: 'gone' | { bytes: Uint8Array } | { from: Current }
  mode: number
  isModeNew?: true
}

type Deps = {
  root: string
  disk: Disk
  base: Pick<ToolOperations, 'read'>
  layer: Layer
  paths: OverlayPaths
  files: PrivateFiles
  noteRead(path: string, hash: string): void
}

/**
 * Writes changes to the layer as the real workspace would to the folder: all of them or none, refused for the same
 * reasons.
 *
 * Errors: those of `planChanges`; `file/disk-full` where the private files find no place.
 */
export async function applyToLayer(deps: Deps, changes: readonly FileChange[]): Promise<void> {
  await refuseOtherPlaces(deps, changes)
  const planned: Planned[] = []
  for (const change of changes) planned.push(...(await plan(deps, change)))
  refuseTwice(planned)
  refuseBelowFiles(planned)
  const kept: StoredBytes[] = []
  const put = async (bytes: Uint8Array, path: string): Promise<StoredBytes> => {
    const stored = await deps.files.put(bytes, path)
    kept.push(stored)
    return stored
  }
  try {
    const commits: LayerChange[] = []
    const bases = new Map<Current, StoredBytes | null>()
    for (const { path, current } of planned) bases.set(current, await storedOf(current, path, put))
    for (const one of planned) commits.push(...(await committed(deps.layer, one, bases, put)))
    for (const { path, current } of planned) if (current.hash !== null) deps.noteRead(path, current.hash)
    deps.layer.commit(commits)
  } catch (error) {
    await deps.files.remove(kept)
    throw error
  }
}

/** Refuses paths that are not real paths of one folder. Errors: `file/changed` where a path leads elsewhere by now. */
async function refuseOtherPlaces({ paths }: Deps, changes: readonly FileChange[]): Promise<void> {
  const roots = new Set<string | undefined>()
  const check = async (path: string): Promise<void> => {
    const { found } = await paths.look(path)
    const isFolderItself = path === '.' || path === found.root
    if (found.path !== path || isFolderItself) throw new AppError({ code: 'file/changed', path })
    if (roots.add(found.root).size > 1) throw new AppError({ code: 'file/outside', path })
  }
  for (const { path } of changes) await check(path)
  for (const change of changes) if (change.kind === 'move') await check(change.to)
}

async function plan(deps: Deps, change: FileChange): Promise<Planned[]> {
  const from = await deps.paths.look(change.path)
  const current = await currentOf(deps, from)
  if (current.hash !== change.baseHash) throw new AppError({ code: 'file/changed', path: change.path })
  if (change.kind === 'write') return [await planWrite(deps, from, current, change)]
  const mode = await modeOf(deps, from)
  const planned: Planned[] = []
  if (change.kind === 'move') {
    const to = await deps.paths.look(change.to)
    if (to.found.kind !== 'none') throw new AppError({ code: 'file/exists', path: change.to })
    await refuseNewPath(deps, to)
    const nothing = { bytes: null, stored: null, hash: null }
    planned.push({ ...placeOf(to), current: nothing, becomes: { from: current }, mode })
  }
  await refuseClosedFolder(deps, from)
  return [...planned, { ...placeOf(from), current, becomes: 'gone', mode }]
}

async function planWrite(
  deps: Deps,
  place: Place,
  current: Current,
  { bytes, mode }: Extract<FileChange, { kind: 'write' }>,
): Promise<Planned> {
  const write = { ...placeOf(place), current, becomes: { bytes } }
  if (current.hash === null) {
    await refuseNewPath(deps, place)
    return { ...write, mode: mode ?? newFileMode }
  }
  const kept = await modeOf(deps, place)
  if (isReadOnlyMode(kept)) throw new AppError({ code: 'file/read-only', path: place.found.path })
  await refuseClosedFolder(deps, place)
  return mode === undefined || mode === kept ? { ...write, mode: kept } : { ...write, mode, isModeNew: true }
}

function placeOf({ found }: Place): { path: string; found: FoundPath } {
  return { path: found.path, found }
}

/** Errors: `file/exists` where something else than a file is there. */
async function currentOf({ base }: Deps, { found, node }: Place): Promise<Current> {
  const { path, kind } = found
  if (kind === 'none') return { bytes: null, stored: null, hash: null }
  if (kind !== 'file') throw new AppError({ code: 'file/exists', path })
  if (node?.kind === 'file') return { bytes: null, stored: node.stored, hash: node.stored.hash }
  const content = await base.read(path, Number.POSITIVE_INFINITY)
  if (content.path !== path) throw new AppError({ code: 'file/changed', path })
  return { bytes: content.bytes, stored: null, hash: content.hash }
}

async function modeOf({ disk, root }: Deps, { found, node }: Place): Promise<number> {
  if (node?.kind === 'file') return node.mode
  const stats = await disk.stat(absolute(root, found.path))
  return stats === undefined ? newFileMode : stats.mode & 0o7777
}

/** Errors: `file/bad-name`; `file/not-found` below a file; `file/denied`. */
async function refuseNewPath(deps: Deps, place: Place): Promise<void> {
  const { path, missing } = place.found
  for (const name of missing) checkNewName(name)
  const folder = await deps.paths.look(missing.reduce(parentOf, path))
  if (folder.found.kind !== 'folder') throw new AppError({ code: 'file/not-found', path })
  await refuseClosedFolder(deps, place)
}

async function refuseClosedFolder({ disk, root, layer }: Deps, { found }: Place): Promise<void> {
  const folder = found.missing.length > 0 ? found.missing.reduce(parentOf, found.path) : parentOf(found.path)
  // One that we made ourselves.
  if (layer.at(folder)?.kind === 'folder') return
  if (!(await disk.canWrite(absolute(root, folder)))) {
    throw new AppError({ code: 'file/denied', path: found.path })
  }
}

function refuseTwice(planned: readonly Planned[]): void {
  const seen = new Set<string>()
  for (const { path } of planned) {
    if (seen.has(path)) throw new AppError({ code: 'file/exists', path })
    seen.add(path)
  }
}

/** Refuses a path below a file that the same changes make. */
function refuseBelowFiles(planned: readonly Planned[]): void {
  const made = new Set(planned.filter(({ becomes }) => becomes !== 'gone').map(({ path }) => path))
  for (const { path, found } of planned) {
    const folders = found.missing.slice(1).map((_, depth) => {
      return found.missing.slice(1 + depth).reduce(parentOf, path)
    })
    if (folders.some((folder) => made.has(folder))) throw new AppError({ code: 'file/not-found', path })
  }
}

type Put = (bytes: Uint8Array, path: string) => Promise<StoredBytes>

async function storedOf(current: Current, path: string, put: Put): Promise<StoredBytes | null> {
  return current.bytes === null ? current.stored : put(current.bytes, path)
}

async function committed(
  layer: Layer,
  { path, found, current, becomes, mode, isModeNew }: Planned,
  bases: ReadonlyMap<Current, StoredBytes | null>,
  put: Put,
): Promise<LayerChange[]> {
  const base = bases.get(current) ?? null
  if (becomes === 'gone') return [{ path, node: { kind: 'gone' }, base }]
  const stored = 'bytes' in becomes ? await put(becomes.bytes, path) : bases.get(becomes.from)
  if (stored === undefined || stored === null) throw new Error('a move without content')
  const folders: LayerChange[] = []
  let folder = parentOf(path)
  for (const _ of found.missing.slice(1)) {
    folders.push({ path: folder, node: { kind: 'folder' }, base: layer.baseOf(folder) ?? null })
    folder = parentOf(folder)
  }
  return [
    ...folders,
    { path, node: { kind: 'file', stored, mode, ...modeNote(layer, path, isModeNew) }, base },
  ]
}

/** Marks a file whose permissions a command has changed: it does not keep those that it has on the disk. */
function modeNote(layer: Layer, path: string, isModeNew: true | undefined): { isModeNew?: true } {
  const node = layer.at(path)
  const wasNew = node?.kind === 'file' && node.isModeNew === true
  return isModeNew === true || wasNew ? { isModeNew: true } : {}
}

function absolute(root: string, path: string): string {
  return isAbsolutePath(path) ? path : join(root, path)
}
