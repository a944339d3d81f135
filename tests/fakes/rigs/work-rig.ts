import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/main/deps.ts'
import { createDocumentService } from '../../../src/main/documents/document-service.ts'
import { createLocalHistory } from '../../../src/main/documents/local-history.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { createFileWatcher } from '../../../src/main/platform/files/file-watcher.ts'
import { systemRandom as random } from '../../../src/main/platform/random.ts'
import { createRemovedFiles } from '../../../src/main/workspace/work/removed-files.ts'
import { createWorkService } from '../../../src/main/workspace/work/work-service.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { silentLog as log } from '../silent-log.ts'
import { changeSetRig } from './change-set-rig.ts'

/** Works and documents together, over a real folder and a real store. */
export function workRig(dataDir = tempFolder(), clock: Clock = systemClock, disk: Disk = nodeDisk) {
  const hostId = random.id()
  const { store, changeSets, checkpoints } = changeSetRig(dataDir, { disk })
  const watcher = createFileWatcher({ clock, disk, log })
  const history = createLocalHistory({ clock, repository: store.history })
  const unsaved = store.unsaved
  const texts = createDocumentService({ clock, random, log, disk, hostId, watcher, history, unsaved })
  const { works, takes } = store
  const removed = createRemovedFiles({ disk, changeSets, journal: store.changeSets, checkpoints, history })
  const service = createWorkService({
    clock,
    random,
    log,
    disk,
    hostId,
    endedHosts: () => new Set(['b'.repeat(32)]),
    watcher,
    works,
    changeSets,
    removed: async () => removed,
    texts,
  })
  service.onRenamed('now', takes.movePath)
  let isClosed = false
  /** Closes everything as a host does; called at the end of the test where the test itself did not. */
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await texts.close()
    service.close()
    watcher.close()
    store.close()
  }
  onTestFinished(close)
  return { service, texts, store, changeSets, removed, close }
}
