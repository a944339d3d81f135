import type { Dirent } from 'node:fs'
import type { Disk } from '../platform/disk.ts'
import { globNames } from '../tools/shell/plain-glob.ts'
import type { FileKinds } from './file-kinds.ts'
import { pathGlob } from './path-glob.ts'

const limitEntries = 20_000

/** Files that are secrets by another of their names. Shape: `device:inode`; `'unknown'` where the folder is too large. */
export type LinkedSecrets = ReadonlySet<string> | 'unknown'

/** How a folder is read. Shape: `hidden` as in `PathOperand`; `linkIsFree` judges a link that is read as its target. */
export type DeepReading = {
  hidden: readonly string[] | null
  linked: LinkedSecrets
  linkIsFree: ((path: string) => Promise<boolean>) | null
}

/**
 * Looks for a file that nobody should read by accident beneath a folder, links not followed.
 *
 * Shape: its path, null where there is none, `'unknown'` where the folder is too large to be sure.
 */
export async function secretBeneath(
  disk: Disk,
  kinds: FileKinds,
  folder: string,
  { hidden, linked, linkIsFree }: DeepReading,
): Promise<{ path: string } | 'unknown' | null> {
  const isTakenIn = hidden === null ? () => true : anyGlob(hidden)
  const ids = linked === 'unknown' ? new Set<string>() : linked
  let found: { path: string } | null = null
  const isWhole = await walk(disk, kinds, folder, async (path, entry) => {
    if (isHidden(path) && !isTakenIn(path)) return true
    const isLinked = entry.isSymbolicLink()
      ? linkIsFree !== null && !(await linkIsFree(`${folder}/${path}`))
      : ids.size > 0 && ids.has((await fileId(disk, `${folder}/${path}`)) ?? '')
    if (!isLinked && !kinds.isSecret(path)) return true
    found = { path }
    return false
  })
  return found ?? (isWhole ? null : 'unknown')
}

/** Secrets of a folder that have more than one name. */
export async function linkedSecrets(disk: Disk, kinds: FileKinds, root: string): Promise<LinkedSecrets> {
  const found = new Set<string>()
  const isWhole = await walk(disk, kinds, root, async (path) => {
    const id = kinds.isSecret(path) ? await fileId(disk, `${root}/${path}`) : null
    if (id !== null) found.add(id)
    return true
  })
  return isWhole ? found : 'unknown'
}

/** What a file with several names is known by; null for any other. */
export async function fileId(disk: Disk, path: string): Promise<string | null> {
  try {
    const stats = await disk.stat(path)
    return stats?.isFile() === true && stats.nlink > 1 ? `${stats.dev}:${stats.ino}` : null
  } catch {
    // What cannot be looked at cannot be read either.
    return null
  }
}

/** Goes through all files until `look` says no; false where there are too many. */
async function walk(
  disk: Disk,
  kinds: FileKinds,
  folder: string,
  look: (path: string, entry: Dirent) => Promise<boolean>,
): Promise<boolean> {
  const waiting = ['']
  let seen = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of await listing(disk, `${folder}/${at}`)) {
      seen += 1
      if (seen > limitEntries) return false
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory()) {
        if (!kinds.isUnsearched(entry.name)) waiting.push(path)
      } else if (!(await look(path, entry))) return true
    }
  }
  return true
}

function isHidden(path: string): boolean {
  return path.split('/').some((name) => name.startsWith('.'))
}

function anyGlob(globs: readonly string[]): (path: string) => boolean {
  const tests = globs.map((glob) => pathGlob(glob, 'wide'))
  return (path) => tests.some((test) => test(path))
}

/** What a shell's pattern names now, as `globNames` understands it; null for any other. */
export function expandedGlob(disk: Disk, base: string, pattern: string): Promise<string[] | null> {
  const placeOf = (folder: string): string => (folder.startsWith('/') ? folder : `${base}/${folder}`)
  return globNames((folder) => namesIn(disk, placeOf(folder)), pattern)
}

export async function namesIn(disk: Disk, folder: string): Promise<string[]> {
  return (await listing(disk, folder)).map(({ name }) => name)
}

export async function isFolder(disk: Disk, path: string): Promise<boolean> {
  try {
    return (await disk.stat(path))?.isDirectory() ?? false
  } catch {
    // What cannot be looked at cannot be gone to.
    return false
  }
}

/** What cannot be listed cannot be read by a command either. */
async function listing(disk: Disk, folder: string): ReturnType<Disk['list']> {
  try {
    return await disk.list(folder)
  } catch {
    return []
  }
}
