import { mkdir, readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { FolderListing } from '../../../shared/domain/work/work.ts'
import { failWith } from './file-error.ts'
import { foldersFirst } from './natural-order.ts'
import { checkNewName, needAbsolute } from './real-path.ts'

const limitEntries = 2000
const textExtensions = new Set(['.txt', '.md', '.json'])

/**
 * Lists a folder for the app's own picker: folders first, both in natural order, hidden ones left out.
 *
 * Errors: `file/not-found`, `file/denied`.
 */
export async function listFolder(path = homedir()): Promise<FolderListing> {
  const folder = resolve(needAbsolute(fromHome(path)))
  const names = await readdir(folder, { withFileTypes: true }).catch(failWith(folder))
  // Folders, and links that may lead to one, come before files: the user looks for a way through them.
  const shown = names
    .filter((entry) => !entry.name.startsWith('.'))
    .sort((a, b) => Number(a.isFile()) - Number(b.isFile()))
  const entries = await Promise.all(
    shown.slice(0, limitEntries).map(async (entry) => {
      const full = join(folder, entry.name)
      const isFolder = entry.isSymbolicLink() ? await isFolderLink(full) : entry.isDirectory()
      return { name: entry.name, path: full, kind: isFolder ? ('folder' as const) : kindOf(entry.name) }
    }),
  )
  const parent = dirname(folder)
  return {
    path: folder,
    parent: parent === folder ? null : parent,
    entries: foldersFirst(entries),
    places: await places(),
    isTruncated: shown.length > limitEntries,
  }
}

/** Returns a path whose `~` at the beginning is the user's home. */
export function fromHome(path: string): string {
  return /^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path
}

/**
 * Makes a folder inside another, which is named by its whole path. Errors: `file/bad-name`, `file/exists`,
 * `file/denied`.
 */
export async function createFolder(parent: string, name: string): Promise<string> {
  checkNewName(name)
  const path = join(resolve(needAbsolute(parent)), name)
  await mkdir(path).catch(failWith(path))
  return path
}

function kindOf(name: string): 'text' | 'gguf' | 'other' {
  const extension = extname(name).toLowerCase()
  if (extension === '.gguf') return 'gguf'
  return textExtensions.has(extension) ? 'text' : 'other'
}

async function isFolderLink(path: string): Promise<boolean> {
  // A broken link is listed as a file: opening it then says what is wrong.
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

async function places(): Promise<FolderListing['places']> {
  const home = homedir()
  const wanted = [
    home,
    ...['Documents', '書類', 'ドキュメント', 'Desktop', 'デスクトップ'].map((name) => join(home, name)),
  ]
  const found = await Promise.all(wanted.map(async (path) => ((await isFolderLink(path)) ? path : null)))
  return found.filter((path) => path !== null).map((path) => ({ name: basename(path) || path, path }))
}
