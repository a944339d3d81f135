import { lstat, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Disk, errorCode } from '../../platform/files/disk.ts'
import { isInside } from '../../platform/files/real-path.ts'
import type { SecretPlaces } from '../../sandbox/command-sandbox.ts'
import { mapTogether } from '../../workspace/map-together.ts'
import type { FileKinds } from './file-kinds.ts'
import { fileId, holdsKey, isKeptByGit } from './folder-assessment.ts'

const listTimeoutMs = 20_000

/**
 * Returns the secrets of a folder, as real files in it: by name, as another name of such a file, and files of git's own
 * with a key in them. For a link to a secret, its target is listed. `folders` are those that cannot be listed: a command
 * could open them in its copy. Null where the folder cannot be listed in time.
 */
export async function secretsIn(disk: Disk, kinds: FileKinds, root: string): Promise<SecretPlaces | null> {
  const listed = await entriesIn(disk, root)
  if (listed === null) return null
  const { folders, closed } = listed
  const found = new Set<string>()
  for (const { folder, files, links } of folders)
    for (const names of [files, links])
      for (const name of names) if (kinds.isSecretIn(folder, name)) found.add(folder + name)
  const linked = new Set<string>()
  for (const path of found) linked.add((await fileId(disk, join(root, path))) ?? '')
  linked.delete('')
  for (const { folder, files } of folders) {
    // True of few folders: an answer about each file would take as long as the listing.
    if (linked.size === 0 && !isKeptByGit(`${root}/${folder}`)) continue
    for (const name of files) {
      const path = folder + name
      if (found.has(path)) continue
      const place = join(root, path)
      const isLinked = linked.size > 0 && linked.has((await fileId(disk, place)) ?? '')
      if (isLinked || (await holdsKey(disk, place))) found.add(path)
    }
  }
  const real: string[] = []
  for (const path of found) {
    const place = await realpath(join(root, path)).catch(() => null)
    if (place === null || !isInside(root, place)) continue
    if ((await lstat(place)).isFile()) real.push(place.slice(root.length + 1))
  }
  return { files: [...new Set(real)], folders: closed }
}

/** Names in a folder. Shape: `folder` is relative, and ends in `/` or is ''. */
type ListedFolder = { folder: string; files: string[]; links: string[] }

/**
 * Lists a folder with those below, ignored files included, links not followed.
 *
 * Shape: `closed` are folders that cannot be listed; null where it takes too long.
 */
async function entriesIn(
  disk: Disk,
  root: string,
): Promise<{ folders: ListedFolder[]; closed: string[] } | null> {
  const listed: ListedFolder[] = []
  const closed: string[] = []
  const endAt = performance.now() + listTimeoutMs
  for (let folders = ['']; folders.length > 0; ) {
    const below = await mapTogether(folders, async (path) => {
      if (performance.now() > endAt) return []
      const entries = await disk.list(join(root, path)).catch((error: unknown) => {
        if (errorCode(error) === 'EACCES' && path !== '') closed.push(path)
        return []
      })
      const here: ListedFolder = { folder: path === '' ? '' : `${path}/`, files: [], links: [] }
      listed.push(here)
      const inside: string[] = []
      for (const entry of entries) {
        if (entry.isFile()) here.files.push(entry.name)
        else if (entry.isSymbolicLink()) here.links.push(entry.name)
        else if (entry.isDirectory() && isListed(here.folder + entry.name))
          inside.push(here.folder + entry.name)
      }
      return inside
    })
    folders = below.flat()
  }
  return performance.now() > endAt ? null : { folders: listed, closed }
}

/** Returns whether secrets are looked for in a folder: not in `node_modules`, nor in Git's object stores. */
function isListed(folder: string): boolean {
  if (basename(folder) === 'objects') return !/(?:^|\/)\.git\//.test(folder)
  return basename(folder) !== 'node_modules'
}
