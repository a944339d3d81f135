import { dirname, join } from 'node:path'
import type { Deps } from '../deps.ts'
import { sweepFolders } from '../platform/files/atomic-file.ts'
import { type Disk, namesIn } from '../platform/files/disk.ts'
import type { StarterService } from '../starter/starter-service.ts'
import type { ChangeSets } from '../workspace/apply-change-set.ts'
import type { RemovedFiles } from '../workspace/work/removed-files.ts'

/** Time for which a change of files can be undone. Units: ms. */
const undoKeptMs = 30 * 24 * 60 * 60_000

/**
 * Folders in which hosts can have left something: a killed host its notes of running commands and the files of
 * speculations; any host images that nothing may name any more.
 */
const sessionFolders = ['commands', 'overlays', 'images']

/** Removes what earlier hosts have left. Sessions are loaded only where one has left something of theirs. */
export async function removeLeftovers(
  deps: Pick<Deps, 'clock' | 'log' | 'dataDir'> & {
    disk: Disk
    endedHosts(): ReadonlySet<string>
    changeSets: Pick<ChangeSets, 'prune'>
    removed(): Promise<Pick<RemovedFiles, 'releaseHistories'>>
    starter: Pick<StarterService, 'sweep'>
    sessions: { load(): Promise<{ removeLeftovers(): Promise<void> }> }
    /** Files that a killed host was writing. */
    leftDocuments: readonly string[]
  },
): Promise<void> {
  await sweepFolders(deps, new Set(deps.leftDocuments.map((file) => dirname(file))))
  await deps.changeSets.prune(deps.clock.now() - undoKeptMs)
  const bin = await deps.removed()
  bin.releaseHistories()
  await deps.starter.sweep()
  const names = await Promise.all(sessionFolders.map((name) => namesIn(join(deps.dataDir, name))))
  if (names.flat().length > 0) await (await deps.sessions.load()).removeLeftovers()
}
