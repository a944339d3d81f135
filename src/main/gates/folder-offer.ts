import { dirname, join } from 'node:path'
import type { FolderOffer } from '../../shared/domain/app/added-folder.ts'
import type { FolderProblem } from '../../shared/errors.ts'
import type { Disk } from '../platform/files/disk.ts'
import { isInside } from '../platform/files/real-path.ts'
import { isFolder } from './risk/folder-assessment.ts'
import { realPlace } from './risk/real-place.ts'

/** The folders in which a session works already. Shape: real paths. */
type SessionFolders = { root: string; added: readonly string[] }

/** System folders, with all that is in them. */
const systemFolders = [
  ...'bin boot dev etc lib lib32 lib64 libx32 proc run sbin sys usr snap nix/store'.split(' '),
  ...['cache', 'lib', 'log', 'mail', 'run', 'spool'].map((name) => `var/${name}`),
  ...['System', 'Library', 'Applications', 'private/etc', 'private/var/db', 'private/var/log'],
].map((name) => `/${name}`)
/** System folders that are refused only themselves: people keep their own things in them. */
const systemTops = new Set([
  ...['/home', '/media', '/mnt', '/opt', '/root', '/srv', '/tmp', '/var', '/var/tmp', '/nix'],
  ...['/Users', '/Volumes', '/private', '/private/tmp', '/private/var', '/private/var/folders'],
])
const windowsFolder = /^[a-z]:\\(?:windows|program files(?: \(x86\))?|programdata)(?:\\|$)|^[a-z]:\\users$/i

export type FolderOffers = ReturnType<typeof createFolderOffers>

export function createFolderOffers(deps: {
  disk: Disk
  /** The user's home folder, and where the app keeps its own data. */
  home: string
  dataDir: string
  isSecret(path: string): boolean
}) {
  const { disk } = deps
  const real = (path: string): Promise<string> => disk.realPath(path).catch(() => path)

  async function problemOf({ root, added }: SessionFolders, folder: string): Promise<FolderProblem | null> {
    const [home, data] = [await real(deps.home), await real(deps.dataDir)]
    if (dirname(folder) === folder) return 'root'
    if ([root, ...added].some((known) => isInside(known, folder))) return 'inside'
    if (isInside(data, folder) || isInside(folder, data)) return isInside(folder, home) ? 'home' : 'app-data'
    if (isInside(folder, home)) return 'home'
    if (windowsFolder.test(folder) || systemTops.has(folder)) return 'system'
    if (systemFolders.some((system) => isInside(system, folder))) return 'system'
    return deps.isSecret(join(folder, 'file')) ? 'secret' : null
  }

  /** Returns the absolute path with links followed; a path that does not exist yet is resolved by its folder. */
  async function placeOf(root: string, path: string): Promise<string | null> {
    const tilde = /^~(?:$|[/\\])/.test(path)
    const place = await realPlace(disk, root, tilde ? join(deps.home, path.slice(1)) : path)
    return place === null ? null : place.isInside ? join(root, place.path) : place.path
  }

  /** Returns the nearest folder, itself or above, that holds a git repository. */
  async function repositoryOf(folder: string): Promise<string | null> {
    for (let at = folder; dirname(at) !== at; at = dirname(at)) {
      if ((await disk.lstat(join(at, '.git')).catch(() => undefined)) !== undefined) return at
    }
    return null
  }

  return {
    /**
     * Returns the folder to add for a path that was refused: the repository that it lies in, else the folder that holds
     * it. Null where its real place is not known, or the session works there already.
     */
    async offer(folders: SessionFolders, path: string): Promise<FolderOffer | null> {
      const place = await placeOf(folders.root, path)
      if (place === null) return null
      let nearest = place
      while (!(await isFolder(disk, nearest)) && dirname(nearest) !== nearest) nearest = dirname(nearest)
      const problem = await problemOf(folders, nearest)
      if (problem === 'inside') return null
      const repository = await repositoryOf(nearest)
      if (repository !== null && (await problemOf(folders, repository)) === null)
        return { path: repository, problem: null }
      return { path: nearest, problem }
    },
    /** Returns the real path of a folder that the user names, with its problem. A file stands for its folder. */
    async look(folders: SessionFolders, path: string): Promise<FolderOffer> {
      const place = await placeOf(folders.root, path)
      if (place === null) return { path, problem: 'missing' }
      const stats = await disk.stat(place).catch(() => undefined)
      if (stats === undefined) return { path: place, problem: 'missing' }
      const folder = stats.isDirectory() ? place : dirname(place)
      return { path: folder, problem: await problemOf(folders, folder) }
    },
  }
}
