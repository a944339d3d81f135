import { basename, dirname, isAbsolute, join, parse, relative, sep } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { withoutEnd } from '../../../shared/text/without-end.ts'
import type { SharedLookups } from '../node/shared-lookups.ts'
import { type Disk, errorCode } from './disk.ts'
import { toFileError } from './file-error.ts'

/**
 * The real place of a path in a folder.
 *
 * Shape: `absolute` has no link in it; `path` is relative to the folder's real path, separated by `/`;
 * `isPresent` is false where nothing is there yet.
 */
export type ResolvedPath = { absolute: string; path: string; isPresent: boolean }

const deviceName = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i
const limitNameBytes = 255
/** Leaves space for a number and an ending. Units: bytes. */
const limitPlainBytes = 240

/** True where `path` is `folder` or under it. Both must be real paths: text alone proves nothing. */
export function isInside(folder: string, path: string): boolean {
  return pathInside(path, folder) !== null
}

/** Returns the relative path to `path`; null where it is not under `folder`. */
function pathInside(path: string, folder: string): string | null {
  const start = folder.endsWith(sep) ? folder : folder + sep
  // Most paths are: `relative` takes as long as looking a short path up.
  if (path.startsWith(start) && !path.includes(`${sep}..`)) return path.slice(start.length)
  const inside = relative(folder, path)
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? null : inside
}

/**
 * Finds `path` under `root` and makes sure that it really lies there, every link followed.
 *
 * A name that differs from the one on disk only by Unicode composition is found; whether letter case counts is
 * decided by the file system.
 * Errors: `file/outside`; `file/bad-name` for NUL and, on Windows, device names; `file/not-found` where
 * the root or the target of a link is missing.
 */
export async function resolveInside(
  disk: Disk,
  root: string,
  path: string,
  lookups?: SharedLookups,
): Promise<ResolvedPath> {
  try {
    const realRoot = await (lookups?.realRoot(disk, root) ?? disk.realPath(root))
    const start = isAbsolute(path) ? parse(path).root : realRoot
    const names = segmentsOf(isAbsolute(path) ? path.slice(start.length) : path, path)
    const found = (await wholePath(disk, join(start, ...names))) ?? (await walk(disk, start, names))
    const inside = pathInside(found.absolute, realRoot)
    if (inside === null) throw new AppError({ code: 'file/outside', path })
    return { ...found, path: sep === '/' ? inside : inside.split(sep).join('/') }
  } catch (error) {
    throw toFileError(error, path)
  }
}

/**
 * Refuses names that cannot be carried to another system: empty, dots, separators, control characters,
 * what Windows forbids, device names, and more than 255 bytes.
 *
 * Errors: `file/bad-name`.
 */
export function checkNewName(name: string): void {
  const isBad =
    name === '' ||
    name === '.' ||
    name === '..' ||
    /[\p{Cc}<>:"/\\|?*]/u.test(name) ||
    /[. ]$/.test(name) ||
    !name.isWellFormed() ||
    deviceName.test(name) ||
    Buffer.byteLength(name) > limitNameBytes
  if (isBad) throw new AppError({ code: 'file/bad-name', name })
}

/**
 * Makes a name for a new file from any text: one that `checkNewName` accepts after an extension is added, at most
 * `limitChars` characters and 240 bytes long. Empty where nothing is left.
 */
export function plainFileName(text: string, limitChars: number): string {
  const plain = text
    .replace(/[\p{Cc}\p{Surrogate}<>:"/\\|?*]/gu, ' ')
    .replace(/\s+/g, ' ')
    // Points would hide the file.
    .replace(/^[ .~]+/, '')
  let name = ''
  for (const character of [...plain.slice(0, limitNameBytes)].slice(0, limitChars)) {
    if (Buffer.byteLength(name + character) > limitPlainBytes) break
    name += character
  }
  name = withoutEnd(name, '. ')
  // A device name remains one with any extension.
  return deviceName.test(name) ? `_${name}` : name
}

/**
 * Refuses a path that would be looked for in the host's own working folder.
 *
 * Errors: `file/bad-name`.
 */
export function needAbsolute(path: string): string {
  if (!isAbsolute(path) || path.includes('\0')) throw new AppError({ code: 'file/bad-name', name: path })
  return path
}

function segmentsOf(path: string, shown: string): string[] {
  if (path.includes('\0')) throw new AppError({ code: 'file/bad-name', name: shown })
  const names = path.split(sep === '\\' ? /[\\/]/ : '/').filter((name) => name !== '' && name !== '.')
  for (const name of names) {
    // A parent step is refused and not resolved: after a link it means something else to the system.
    if (name === '..') throw new AppError({ code: 'file/outside', path: shown })
    if (process.platform === 'win32' && (deviceName.test(name) || name.includes(':')))
      throw new AppError({ code: 'file/bad-name', name })
  }
  return names
}

/** Resolves a path in one step; returns undefined where that fails, and `walk` must find out why. */
async function wholePath(
  disk: Disk,
  path: string,
): Promise<{ absolute: string; isPresent: true } | undefined> {
  try {
    return { absolute: await disk.realPath(path), isPresent: true }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}

async function walk(
  disk: Disk,
  start: string,
  names: readonly string[],
): Promise<{ absolute: string; isPresent: boolean }> {
  let folder = await disk.realPath(start)
  for (const [index, name] of names.entries()) {
    const next = await findName(disk, folder, name)
    if (next === undefined) return { absolute: join(folder, ...names.slice(index)), isPresent: false }
    folder = await disk.realPath(next)
  }
  return { absolute: folder, isPresent: true }
}

async function findName(disk: Disk, folder: string, name: string): Promise<string | undefined> {
  const path = join(folder, name)
  if ((await disk.lstat(path)) !== undefined) return path
  // A pure ASCII name has no other composition, so that listing the folder would find nothing.
  if (/^[\x20-\x7e]*$/.test(name)) return undefined
  const isFolder = (await disk.stat(folder))?.isDirectory() ?? false
  if (!isFolder) return undefined
  const wanted = name.normalize('NFC')
  const twins = (await disk.list(folder)).filter((entry) => entry.name.normalize('NFC') === wanted)
  return twins.length === 1 && twins[0] !== undefined ? join(folder, twins[0].name) : undefined
}

/** A file that was read inside of a folder, and where it really lies. */
type InsideFile = ResolvedPath & { bytes: Buffer }

/**
 * Reads a regular file of a folder that really lies in it; null where nothing has that name.
 *
 * A link is followed only to a place inside. The file's folder is held open while it is read, so that a link that
 * is swapped in cannot lead the reading elsewhere (Linux).
 * Errors: `file/outside`, `file/too-large`, `file/failed` for what is no regular file or cannot be examined;
 * `file/not-found` for a link to nothing.
 */
export async function readInside(
  disk: Disk,
  root: string,
  path: string,
  limitBytes: number,
): Promise<InsideFile | null> {
  const place = await resolveInside(disk, root, path)
  if (!place.isPresent) return null
  return { ...place, bytes: await readPinned(disk, place, limitBytes) }
}

/** Reads a file in the folder that it was found in, even if the folder's name leads elsewhere by now. */
export async function readPinned(
  disk: Disk,
  place: ResolvedPath,
  limitBytes: number,
  lookups?: SharedLookups,
): Promise<Buffer> {
  try {
    // Before the folder is opened: a folder's own name pins nothing.
    const path = dirname(place.absolute)
    const folder = await (lookups?.pinFolder(disk, path) ?? disk.pinFolder(path))
    try {
      return await disk.readPlain(join(folder.path, basename(place.absolute)), limitBytes)
    } finally {
      await folder.close()
    }
  } catch (error) {
    throw toFileError(error, place.path)
  }
}

/** Returns the folders above a path, outermost first. */
export function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, at) => names.slice(0, at + 1).join('/'))
}
