import { basename, dirname, join } from 'node:path'
import type { Log, Random } from '../../deps.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { toFileError } from '../../platform/files/file-error.ts'
import { Layer } from './layer.ts'
import { openOverlay } from './open-overlay.ts'
import type { Overlays } from './overlay.ts'
import type { SearchIn } from './overlay-search.ts'
import { openPrivateFiles, removeTree } from './private-files.ts'

const folderName = 'overlays'
const hostName = /^[0-9a-f]{32}$/

/** The overlays of this host, in `overlays/<host's id>/` of the data folder. */
export function createOverlays(deps: {
  disk: Disk
  random: Random
  log: Log
  hostId: string
  dataDir: string
  searchIn: SearchIn
}): Overlays {
  const { disk, random, log, hostId, dataDir } = deps
  return {
    async open(folder) {
      const isCaseInsensitive = await ignoresCase(disk, folder.root).catch((error: unknown) => {
        throw toFileError(error, folder.root)
      })
      const files = await openPrivateFiles(disk, dataDir, [folderName, hostId, random.id()])
      const parts = { ...deps, newId: () => random.id(), isCaseInsensitive }
      return openOverlay(parts, folder, new Layer(), files)
    },
    async sweep() {
      const folder = join(await disk.realPath(dataDir), folderName)
      const stats = await disk.lstat(folder)
      const entries = stats?.isDirectory() ? await disk.list(folder) : []
      const left = entries.filter(({ name }) => hostName.test(name) && name !== hostId)
      const paths = stats?.isSymbolicLink() ? [folder] : left.map(({ name }) => join(folder, name))
      for (const path of paths) {
        try {
          await removeTree(disk, path)
        } catch (error) {
          // The next start tries again.
          log.write('warn', 'overlays.leftover-stays', { error })
        }
      }
    },
  }
}

/** Names that are tried before the answer is no. */
const limitTried = 20

/**
 * True where a name of the folder, in other letters, is the same file. Nothing is written to find out; where no name
 * has letters, the folder's own is tried.
 */
async function ignoresCase(disk: Disk, root: string): Promise<boolean> {
  const entries = (await disk.list(root)).map(({ name }) => join(root, name))
  for (const path of [...entries.slice(0, limitTried), root]) {
    const name = basename(path)
    const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
    if (other === name) continue
    const [one, two] = await Promise.all([disk.lstat(path), disk.lstat(join(dirname(path), other))])
    if (one !== undefined) return two !== undefined && one.ino === two.ino && one.dev === two.dev
  }
  return false
}
