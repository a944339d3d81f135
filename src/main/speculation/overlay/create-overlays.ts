import { basename, dirname, join } from 'node:path'
import type { Log, Random } from '../../deps.ts'
import type { Disk } from '../../platform/disk.ts'
import { Layer } from './layer.ts'
import { openOverlay } from './open-overlay.ts'
import type { Overlays } from './overlay.ts'
import type { SearchIn } from './overlay-search.ts'
import { openPrivateFiles } from './private-files.ts'
import { removeTree } from './remove-tree.ts'

const folderName = 'overlays'
const hostName = /^[0-9a-f]{32}$/

/**
 * The overlays of this host, in `overlays/<host's id>/` of the data folder.
 *
 * Shape: `env` is where the search program looks for the user's own ignore file.
 */
export function createOverlays(deps: {
  disk: Disk
  random: Random
  log: Log
  hostId: string
  dataDir: string
  env: Record<string, string | undefined>
  searchIn: SearchIn
}): Overlays {
  const { disk, random, log, hostId, dataDir } = deps
  return {
    async open(folder) {
      const isCaseInsensitive = await ignoresCase(disk, folder.root)
      const files = await openPrivateFiles(disk, dataDir, [folderName, hostId, random.id()])
      const parts = { ...deps, newId: () => random.id(), isCaseInsensitive }
      return openOverlay(parts, folder, new Layer(), files)
    },
    async sweep() {
      const folder = join(await disk.realPath(dataDir), folderName)
      const stats = await disk.lstat(folder)
      if (stats === undefined) return
      if (!stats.isDirectory()) return removeTree(disk, folder)
      for (const { name } of await disk.list(folder)) {
        if (!hostName.test(name) || name === hostId) continue
        try {
          await removeTree(disk, join(folder, name))
        } catch (error) {
          // The next start tries again.
          log.write('warn', 'overlays.leftover-stays', { error })
        }
      }
    },
  }
}

/** True where the folder's name in other letters is the same folder; false where no name on the way has letters. */
async function ignoresCase(disk: Disk, root: string): Promise<boolean> {
  for (let at = root; dirname(at) !== at; at = dirname(at)) {
    const name = basename(at)
    const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
    if (other === name) continue
    const [one, two] = await Promise.all([disk.lstat(at), disk.lstat(join(dirname(at), other))])
    return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev
  }
  return false
}
