import { spawn } from 'node:child_process'
import { chmod, lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeDisk, onErrorCode } from '../../platform/files/disk.ts'
import type { SandboxRun } from '../sandbox.ts'
import type { Wall } from '../wall.ts'

/**
 * A path that a command changed.
 *
 * Shape: relative to the project, `/` between names. `mode`: permission bits without set-id; `lowerMode` null where
 * no file was there. `gone`: a file or link that is deleted. `folder`: one that is made.
 */
export type UpperChange =
  | { kind: 'file'; path: string; sizeBytes: number; mode: number; lowerMode: number | null }
  | { kind: 'link'; path: string; target: string }
  | { kind: 'gone'; path: string }
  | { kind: 'folder'; path: string }

/**
 * Kinds of entries that are never applied. Shape: `name`: it is not UTF-8, or its path is too long to be opened;
 * `mode`: permissions of a folder that was there.
 */
export type DroppedKind = 'fifo' | 'socket' | 'device' | 'name' | 'mode'

type UpperFinding = {
  changes: UpperChange[]
  dropped: { path: string; kind: DroppedKind }[]
  /** New folders: the project has none in their place. What else it has there is among the changes as `gone`. */
  newFolders: string[]
  /** Folders of the project that were deleted, outermost first. */
  goneFolders: string[]
}

/** A command that changes more is not applied. Units: files and folders, deleted ones included. */
export const limitEntries = 200_000
/** Longer paths cannot be opened by name. Source: PATH_MAX, with room for a temporary name beside the file. */
const limitPathBytes = 4_000

export class TooManyChanges extends Error {}

/**
 * Reads what a command changed, without following a link: the upper folder of its overlay, and the lower one beneath
 * whatever was deleted there. Errors: `TooManyChanges`; Node's own.
 */
export async function readUpper(
  run: Pick<SandboxRun, 'folder' | 'project' | 'merged'>,
  limit = limitEntries,
): Promise<UpperFinding> {
  const found: UpperFinding = { changes: [], dropped: [], newFolders: [], goneFolders: [] }
  const upper = join(run.folder, 'upper')
  const lower = run.project
  /** Folders in both layers with lower names that the upper one does not mention: they may have been created anew. */
  const doubtful = new Map<string, string[]>()
  let seen = 0

  function count(): void {
    if (++seen > limit) throw new TooManyChanges()
  }

  /** `hasLower`: the project has this folder, too. Nothing is looked up behind a link in its place. */
  async function readFolder(path: string, hasLower = true): Promise<void> {
    const names = new Set(usable(path, await openAndList(join(upper, path))))
    if (path !== '' && hasLower) {
      const below = (await namesIn(join(lower, path))).flatMap((bytes) => textOf(bytes) ?? [])
      const silent = below.filter((name) => !names.has(name))
      if (silent.length > 0) doubtful.set(path, silent)
    }
    for (const name of names) await readEntry(pathTo(path, name), hasLower)
  }

  /** Returns the names that can be opened; adds the others to the dropped ones. */
  function usable(folder: string, names: readonly Buffer[]): string[] {
    return names.flatMap((bytes) => {
      count()
      const name = bytes.toString('utf8')
      const path = pathTo(folder, name)
      const isUsable =
        textOf(bytes) !== null &&
        [upper, lower].every((root) => Buffer.byteLength(join(root, path)) <= limitPathBytes)
      if (!isUsable) found.dropped.push({ path, kind: 'name' })
      return isUsable ? name : []
    })
  }

  async function readEntry(path: string, hasLower: boolean): Promise<void> {
    const stats = await lstat(join(upper, path))
    const below = hasLower ? await nodeDisk.lstat(join(lower, path)) : undefined
    if (stats.isDirectory()) {
      const isBoth = below?.isDirectory() === true
      if (!isBoth) found.newFolders.push(path)
      if (!isBoth && below !== undefined) found.changes.push({ kind: 'gone', path })
      if (isBoth && ((stats.mode ^ below.mode) & 0o777) !== 0) found.dropped.push({ path, kind: 'mode' })
      await readFolder(path, isBoth)
    } else if (stats.isCharacterDevice() && stats.rdev === 0) {
      if (hasLower) await readGone(path)
    } else if (stats.isFile() || stats.isSymbolicLink()) {
      if (below?.isDirectory()) await readGone(path)
      if (stats.isFile()) {
        const mode = stats.mode & 0o777
        // Lets us read the file, as its owner; the original mode is kept in the change.
        if ((mode & 0o400) === 0) await chmod(join(upper, path), mode | 0o400)
        const lowerMode = below?.isFile() ? below.mode & 0o7777 : null
        found.changes.push({ kind: 'file', path, sizeBytes: stats.size, mode, lowerMode })
      } else await readLink(path)
    } else found.dropped.push({ path, kind: kindOf(stats) })
  }

  async function readLink(path: string): Promise<void> {
    const target = textOf(await readlink(join(upper, path), { encoding: 'buffer' }))
    if (target === null) found.dropped.push({ path, kind: 'name' })
    else found.changes.push({ kind: 'link', path, target })
  }

  /** Records the removal of a path and of everything below it. */
  async function readGone(path: string): Promise<void> {
    const below = await nodeDisk.lstat(join(lower, path))
    if (below === undefined) return
    if (!below.isDirectory()) return void found.changes.push({ kind: 'gone', path })
    found.goneFolders.push(path)
    const names = usable(path, await namesIn(join(lower, path)))
    for (const name of names) await readGone(pathTo(path, name))
  }

  /** Finds folders that were deleted and created again: their former content is hidden, which only the mount shows. */
  async function readReplacedFolders(): Promise<void> {
    if (doubtful.size === 0) return
    const merged = await namesInMerged(run.merged, [...doubtful.keys()])
    for (const [path, names] of doubtful) {
      const shown = merged.get(path) ?? new Set()
      for (const name of names) {
        if (shown.has(name)) continue
        count()
        await readGone(`${path}/${name}`)
      }
    }
  }

  await readFolder('')
  await readReplacedFolders()
  return found
}

function pathTo(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** Returns null for bytes that are not UTF-8: decoded they would name another file. */
function textOf(bytes: Buffer): string | null {
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? text : null
}

/** Lists a folder; first gives its owner full permissions where they are missing. */
async function openAndList(folder: string): Promise<Buffer[]> {
  const { mode } = await lstat(folder)
  if ((mode & 0o700) !== 0o700) await chmod(folder, (mode & 0o777) | 0o700)
  return readdir(folder, { encoding: 'buffer' })
}

function namesIn(folder: string): Promise<Buffer[]> {
  const unlisted = ['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG']
  return readdir(folder, { encoding: 'buffer' }).catch(onErrorCode(unlisted, []))
}

function kindOf(stats: { isFIFO(): boolean; isSocket(): boolean }): DroppedKind {
  if (stats.isFIFO()) return 'fifo'
  return stats.isSocket() ? 'socket' : 'device'
}

const script = 'exec xargs -0 sh -c \'find "$@" -mindepth 1 -maxdepth 1 -print0\' names'

/**
 * Lists folders of a run's merged view, once its command has ended.
 *
 * Shape: by folder, the names that are shown in it. Errors: where the view cannot be mounted any more.
 */
export async function namesInMerged(
  merged: Wall,
  folders: readonly string[],
): Promise<Map<string, Set<string>>> {
  const listed = new Map<string, Set<string>>(folders.map((folder) => [folder, new Set()]))
  const output = await outputOf(merged, folders.map((folder) => `./${folder}\0`).join(''))
  for (const path of output.split('\0')) {
    const at = path.lastIndexOf('/')
    if (at > 0) listed.get(path.slice(2, at))?.add(path.slice(at + 1))
  }
  return listed
}

function outputOf(merged: Wall, input: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn(merged.program, [...merged.args, 'sh', '-c', script], {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const [chunks, errors]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  child.once('error', reject)
  child.once('close', (code) => {
    if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'))
    else
      reject(new Error(`merged view: exit ${code}: ${Buffer.concat(errors).toString('utf8').slice(0, 300)}`))
  })
  // The program may end before it has read all.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return promise
}
