import type { Dirent } from 'node:fs'
import { isAbsolute } from 'node:path'
import { isAppError } from '../../../shared/errors.ts'
import { pathGlob, textGlob } from '../../../shared/text/paths/glob.ts'
import { type Disk, errorCode } from '../../platform/files/disk.ts'
import { hasKey } from '../../tools/commands/environment/key-shapes.ts'
import { type IgnoreNotes, ignoreNotesAbove, ignoreNotesIn } from '../rules/ignore-notes.ts'
import type { FileKinds } from './file-kinds.ts'

/** Most entries of a folder that are examined: the contents of a larger one count as unknown. */
const limitFolderEntries = 200_000
const limitKeptBytes = 1_000_000
/**
 * Longest path that is examined. Not every system opens a longer one by its whole name, while a command that goes from
 * folder to folder reads it. Units: bytes.
 */
const limitPathBytes = 1000

/** Files that are secrets under another name. Shape: `device:inode`; `'unknown'` where the folder is too large. */
export type LinkedSecrets = ReadonlySet<string> | 'unknown'

/**
 * Which files a command reads when it is given a folder. Shape: `linkIsFree` tells whether a link may be followed; the
 * other fields are those of `PathOperand`.
 */
export type DeepReading = {
  hidden: readonly string[] | null
  readsIgnored: boolean
  named: readonly string[] | null
  skipsBinary: boolean
  linked: LinkedSecrets
  linkIsFree: ((path: string) => Promise<boolean>) | null
}

/**
 * Looks for a secret file beneath a folder, links not followed.
 *
 * Shape: its path, null where there is none, `'unknown'` where the folder is too large to be sure, or has a pipe, a
 * device, or a name in it that cannot be looked up.
 */
export async function secretBeneath(
  disk: Disk,
  kinds: FileKinds,
  folder: string,
  { hidden, readsIgnored, named, skipsBinary, linked, linkIsFree }: DeepReading,
  limitEntries = limitFolderEntries,
): Promise<{ path: string } | 'unknown' | null> {
  const isNamed = anyOf(hidden, (glob) => pathGlob(glob, 'wide'))
  const isRead = (path: string, { isReincluded }: IgnoreNotes): boolean =>
    !/(?:^|\/)\./.test(path) || isNamed(path) || isReincluded(path)
  // More names are accepted than by programs: `?` is a byte to some of them, a letter to others.
  const hasName = anyOf(named, (pattern) => textGlob(pattern.replaceAll('?', '*'), { hasSets: false }))
  let found: { path: string } | null = null
  let isSure = true
  const isWhole = await walk(disk, folder, limitEntries, {
    enters(path, name, notes, isStore) {
      if (isStore && skipsBinary) return false
      if (!kinds.isUnsearched(name)) return true
      if (name.startsWith('.')) return isRead(path, notes)
      return readsIgnored || !notes.leavesOut(name) || notes.isReincluded(path)
    },
    async look(path, entry, notes) {
      if (!isRead(path, notes) || !hasName(entry.name)) return true
      const whole = `${folder}/${path}`
      const isCompared = !entry.isSymbolicLink() && (linked === 'unknown' || linked.size > 0)
      const id = isCompared ? await fileId(disk, whole) : null
      if (isUnending(entry) || (id !== null && linked === 'unknown')) {
        isSure = false
        return false
      }
      const isLinked = entry.isSymbolicLink()
        ? linkIsFree !== null && !(await linkIsFree(whole))
        : (id !== null && linked !== 'unknown' && linked.has(id)) || (await holdsKey(disk, whole))
      if (!isLinked && !isStoredContent(whole) && !kinds.isSecret(path)) return true
      found = { path }
      return false
    },
  })
  return found ?? (isWhole && isSure ? null : 'unknown')
}

/** Returns the secrets of a folder that have more than one name. */
export async function linkedSecrets(
  disk: Disk,
  kinds: FileKinds,
  root: string,
  limitEntries = limitFolderEntries,
): Promise<LinkedSecrets> {
  const found = new Set<string>()
  const isWhole = await walk(disk, root, limitEntries, {
    enters: (_path, name, _notes, isStore) => !isStore && !kinds.isUnsearched(name),
    async look(path) {
      const id = kinds.isSecret(path) ? await fileId(disk, `${root}/${path}`) : null
      if (id !== null) found.add(id)
      return true
    },
  })
  return isWhole ? found : 'unknown'
}

/**
 * Returns a test for secret files of a folder: by name, as a secret of the folder under another name, by a key in what
 * git keeps, or by lying where version control keeps contents. Make a new test for each assessment: it caches.
 *
 * Shape: paths are absolute or relative to `root`, which is looked through at most once, and only where a file with
 * several names is asked about; each of these is a secret where the folder is too large.
 */
export function secretFiles(disk: Disk, kinds: FileKinds, root: string): (path: string) => Promise<boolean> {
  let linked: Promise<LinkedSecrets> | undefined
  return async (path) => {
    if (kinds.isSecret(path) || isStoredContent(path)) return true
    const absolute = isAbsolute(path) ? path : `${root}/${path}`
    const id = await fileId(disk, absolute)
    if (id === null) return holdsKey(disk, absolute)
    linked ??= linkedSecrets(disk, kinds, root)
    const ids = await linked
    return ids === 'unknown' || ids.has(id) || (await holdsKey(disk, absolute))
  }
}

/** True for a pipe or a device: to read one takes from whoever else reads it, or does not end. */
export function isUnending(file: Pick<Dirent, 'isFIFO' | 'isBlockDevice' | 'isCharacterDevice'>): boolean {
  return file.isFIFO() || file.isBlockDevice() || file.isCharacterDevice()
}

/** Returns an id for a file with several names (hard links); null for any other. */
export async function fileId(disk: Disk, path: string): Promise<string | null> {
  // A file that cannot be examined cannot be read either.
  const stats = await disk.stat(path).catch(() => undefined)
  return stats?.isFile() === true && stats.nlink > 1 ? `${stats.dev}:${stats.ino}` : null
}

/**
 * Places where version control keeps contents under names that do not tell the file: Git's objects, which need not be
 * compressed, and what its extensions and other systems keep.
 */
const contentStores = [
  /(?:^|\/)\.git\/(?:.*\/)?(?:objects|lfs|annex|rr-cache)\/./,
  /(?:^|\/)objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40})/,
  /(?:^|\/)(?:\.hg\/store|\.svn\/pristine|\.bzr\/repository|\.jj\/repo\/store)\/./,
]

/** True for a file that may hold the contents of a secret under a name made by version control. */
export function isStoredContent(path: string): boolean {
  return contentStores.some((store) => store.test(path))
}

/** Files in which git itself keeps addresses, and with them credentials that were typed into an address. */
const gitKept = /(?:^|\/)\.git\/(?:.*\/)?(?:config(?:\.worktree)?|FETCH_HEAD|logs\/.+|.*MSG)$/

/** True for a folder in which `holdsKey` may be true of files. Shape: an absolute path that ends in `/`. */
export function isKeptByGit(folder: string): boolean {
  return folder.includes('/.git/')
}

/** True for a file of git's own with a key in it, and for one of these that is too large to tell. */
export async function holdsKey(disk: Disk, path: string): Promise<boolean> {
  if (!gitKept.test(path)) return false
  try {
    return hasKey((await disk.readPlain(path, limitKeptBytes)).toString('latin1'))
  } catch (error) {
    // A file that cannot be read here cannot be read by a command either.
    return isAppError(error) || errorCode(error) === undefined
  }
}

/** Visits all files until `look` returns false. Returns false for too many files, or one that cannot be examined. */
async function walk(
  disk: Disk,
  folder: string,
  limitEntries: number,
  walker: {
    /** `isStore`: the folder holds the objects of a Git repository. */
    enters(path: string, name: string, notes: IgnoreNotes, isStore: boolean): boolean
    /** False ends the walk. */
    look(path: string, entry: Dirent, notes: IgnoreNotes): Promise<boolean>
  },
): Promise<boolean> {
  const { enters, look } = walker
  const waiting = [{ at: '', above: await ignoreNotesAbove(disk, folder) }]
  let seen = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at, above } = next
    const entries = await wholeListing(disk, `${folder}/${at}`)
    if (entries === null) return false
    const names = entries.map(({ name }) => name)
    const notes = await ignoreNotesIn(disk, at === '' ? folder : `${folder}/${at}`, names, above)
    for (const entry of entries) {
      seen += 1
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (seen > limitEntries || Buffer.byteLength(`${folder}/${path}`) > limitPathBytes) return false
      if (entry.isDirectory()) {
        const isStore = entry.name === 'objects' && names.includes('HEAD') && names.includes('refs')
        if (enters(path, entry.name, notes, isStore)) waiting.push({ at: path, above: notes })
      } else if (!(await look(path, entry, notes))) return true
    }
  }
  return true
}

/** Returns a test that any of the patterns passes; without patterns everything does. */
function anyOf(
  patterns: readonly string[] | null,
  testOf: (pattern: string) => (text: string) => boolean,
): (text: string) => boolean {
  const tests = patterns?.map(testOf)
  return (text) => tests === undefined || tests.some((test) => test(text))
}

/** Returns the names in a folder; none where it cannot be listed: a pattern in it then stays as it is written. */
export async function namesIn(disk: Disk, folder: string): Promise<string[]> {
  return (await disk.list(folder).catch(() => [])).map(({ name }) => name)
}

export async function isFolder(disk: Disk, path: string): Promise<boolean> {
  // A folder that cannot be examined cannot be entered.
  return (await disk.stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** True where nothing is at a path, or no folder at one that ends with a slash; false where that is not known. */
export async function isMissing(disk: Disk, path: string): Promise<boolean> {
  const isForFolder = path.endsWith('/')
  const stats = await (isForFolder ? disk.stat(path) : disk.lstat(path)).catch(() => null)
  return stats === undefined || (isForFolder && stats?.isDirectory() === false)
}

/**
 * Lists a folder; empty where no command may list it either. Null where its contents are not known: the folder could
 * not be listed for any other reason, or a name in it is no valid text and cannot be opened as we write it.
 */
async function wholeListing(disk: Disk, folder: string): Promise<Dirent[] | null> {
  try {
    const entries = await disk.list(folder)
    return entries.some(({ name }) => name.includes('\ufffd')) ? null : entries
  } catch (error) {
    return errorCode(error) === 'EACCES' ? [] : null
  }
}
