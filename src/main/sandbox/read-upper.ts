import { spawn } from 'node:child_process'
import { chmod, lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, nodeDisk } from '../platform/files/disk.ts'
import type { SandboxRun } from './sandbox.ts'
import type { Wall } from './wall.ts'

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
  const reading = new UpperReading(run, limit)
  await reading.folder('')
  await reading.replacedFolders()
  return reading.found
}

class UpperReading {
  readonly found: UpperFinding = { changes: [], dropped: [], newFolders: [], goneFolders: [] }
  readonly #upper: string
  readonly #lower: string
  readonly #run: Pick<SandboxRun, 'folder' | 'project' | 'merged'>
  /** Folders in both layers with lower names that the upper one does not mention: they may have been created anew. */
  readonly #doubtful = new Map<string, string[]>()
  readonly #limit: number
  #seen = 0

  constructor(run: Pick<SandboxRun, 'folder' | 'project' | 'merged'>, limit: number) {
    this.#limit = limit
    this.#run = run
    this.#upper = join(run.folder, 'upper')
    this.#lower = run.project
  }

  /** `hasLower`: the project has this folder, too. Nothing is looked up behind a link in its place. */
  async folder(path: string, hasLower = true): Promise<void> {
    const names = new Set(this.#usable(path, await openAndList(join(this.#upper, path))))
    if (path !== '' && hasLower) {
      const below = (await namesIn(join(this.#lower, path))).flatMap((bytes) => textOf(bytes) ?? [])
      const silent = below.filter((name) => !names.has(name))
      if (silent.length > 0) this.#doubtful.set(path, silent)
    }
    for (const name of names) await this.#entry(pathTo(path, name), hasLower)
  }

  /** Returns the names that can be opened; adds the others to the dropped ones. */
  #usable(folder: string, names: readonly Buffer[]): string[] {
    return names.flatMap((bytes) => {
      this.#count()
      const name = bytes.toString('utf8')
      const path = pathTo(folder, name)
      const isUsable =
        textOf(bytes) !== null &&
        [this.#upper, this.#lower].every((root) => Buffer.byteLength(join(root, path)) <= limitPathBytes)
      if (!isUsable) this.found.dropped.push({ path, kind: 'name' })
      return isUsable ? name : []
    })
  }

  async #entry(path: string, hasLower: boolean): Promise<void> {
    const stats = await lstat(join(this.#upper, path))
    const below = hasLower ? await nodeDisk.lstat(join(this.#lower, path)) : undefined
    if (stats.isDirectory()) {
      const isBoth = below?.isDirectory() === true
      if (!isBoth) this.found.newFolders.push(path)
      if (!isBoth && below !== undefined) this.#add({ kind: 'gone', path })
      if (isBoth && ((stats.mode ^ below.mode) & 0o777) !== 0) this.found.dropped.push({ path, kind: 'mode' })
      await this.folder(path, isBoth)
    } else if (stats.isCharacterDevice() && stats.rdev === 0) {
      if (hasLower) await this.gone(path)
    } else if (stats.isFile() || stats.isSymbolicLink()) {
      if (below?.isDirectory()) await this.gone(path)
      if (stats.isFile()) {
        const mode = stats.mode & 0o777
        // Lets us read the file, as its owner; the original mode is kept in the change.
        if ((mode & 0o400) === 0) await chmod(join(this.#upper, path), mode | 0o400)
        const lowerMode = below?.isFile() ? below.mode & 0o7777 : null
        this.#add({ kind: 'file', path, sizeBytes: stats.size, mode, lowerMode })
      } else await this.#link(path)
    } else this.found.dropped.push({ path, kind: kindOf(stats) })
  }

  async #link(path: string): Promise<void> {
    const target = textOf(await readlink(join(this.#upper, path), { encoding: 'buffer' }))
    if (target === null) this.found.dropped.push({ path, kind: 'name' })
    else this.#add({ kind: 'link', path, target })
  }

  /** Records the removal of a path and of everything below it. */
  async gone(path: string): Promise<void> {
    const below = await nodeDisk.lstat(join(this.#lower, path))
    if (below === undefined) return
    if (!below.isDirectory()) return this.#add({ kind: 'gone', path })
    this.found.goneFolders.push(path)
    const names = this.#usable(path, await namesIn(join(this.#lower, path)))
    for (const name of names) await this.gone(pathTo(path, name))
  }

  /** Finds folders that were deleted and created again: their former content is hidden, which only the mount shows. */
  async replacedFolders(): Promise<void> {
    if (this.#doubtful.size === 0) return
    const merged = await namesInMerged(this.#run.merged, [...this.#doubtful.keys()])
    for (const [path, names] of this.#doubtful) {
      const shown = merged.get(path) ?? new Set()
      for (const name of names) {
        if (shown.has(name)) continue
        this.#count()
        await this.gone(`${path}/${name}`)
      }
    }
  }

  #add(change: UpperChange): void {
    this.found.changes.push(change)
  }

  #count(): void {
    if (++this.#seen > this.#limit) throw new TooManyChanges()
  }
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

async function namesIn(folder: string): Promise<Buffer[]> {
  try {
    return await readdir(folder, { encoding: 'buffer' })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'].includes(errorCode(error) ?? '')) return []
    throw error
  }
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
