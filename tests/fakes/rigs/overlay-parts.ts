import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { createOverlays } from '../../../src/main/speculation/overlay/open-overlay.ts'
import type { Overlays } from '../../../src/main/speculation/overlay/overlay.ts'
import type { CommandOutcome, ToolOperations } from '../../../src/main/tools/tool-operations.ts'
import type { ChangeSets } from '../../../src/main/workspace/apply-change-set.ts'
import { createWorkspaceSearch } from '../../../src/main/workspace/search/workspace-search.ts'
import { createWorkspaceOperations } from '../../../src/main/workspace/workspace-operations.ts'
import { silentLog } from '../silent-log.ts'

const timeoutMs = 60_000

/** The overlays of one host, as the app makes them. */
export function overlaysAt(host: { dataDir: string; hostId: string; disk?: Disk }): Overlays {
  return createOverlays({
    disk: host.disk ?? nodeDisk,
    random: systemRandom,
    log: silentLog,
    hostId: host.hostId,
    dataDir: host.dataDir,
    searchIn: (place) => createWorkspaceSearch({ timeoutMs, disk: nodeDisk, ...place }),
  })
}

/** The operations of a folder without open documents; command lines are only recorded. */
export function plainOperations(work: {
  root: string
  changeSets: Pick<ChangeSets, 'apply'>
  disk?: Disk
  commands?: string[]
}): ToolOperations {
  const nobody = async (): Promise<void> => undefined
  return createWorkspaceOperations({
    root: work.root,
    disk: work.disk ?? nodeDisk,
    documents: {
      flush: nobody,
      saveAll: nobody,
      beginChange: () => () => undefined,
      fileChanged: nobody,
      fileRemoved: nobody,
      fileMoved: () => undefined,
    },
    changeSets: work.changeSets,
    commands: {
      async execute({ line }) {
        work.commands?.push(line)
        return done
      },
      askedRun: async () => null,
      commandOutput: () => null,
      stopCommand: async () => true,
    },
    timeoutMs,
  })
}

const done: CommandOutcome = {
  commandId: 'cmd',
  end: 'exited',
  exitCode: 0,
  signal: null,
  output: '',
  totalBytes: 0,
  isCut: false,
  durationMs: 1,
}
