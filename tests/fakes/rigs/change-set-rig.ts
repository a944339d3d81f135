import { join } from 'node:path'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { noteHost } from '../../../src/main/store/app/setting-repository.ts'
import {
  type ApplyStep,
  type ChangeSets,
  createChangeSets,
} from '../../../src/main/workspace/apply-change-set.ts'
import { type CheckpointStore, createCheckpointStore } from '../../../src/main/workspace/checkpoint-store.ts'
import { openTestStore, type WholeStore } from '../disks/test-store.ts'

/** Change sets over a real store, one in `dataDir` where none is given; the caller closes it. */
export function changeSetRig(
  dataDir: string,
  options: {
    disk?: Disk
    onStep?: (step: ApplyStep, path?: string) => void | Promise<void>
    store?: WholeStore
  } = {},
): { changeSets: ChangeSets; checkpoints: CheckpointStore; store: WholeStore } {
  const disk = options.disk ?? nodeDisk
  const clock = systemClock
  const random = systemRandom
  const hostId = random.id()
  const store = options.store ?? openTestStore(join(dataDir, 'tsugi.db'), { clock, random })
  const checkpoints = createCheckpointStore({ disk, folder: join(dataDir, 'checkpoints'), hostId, random })
  const journal = store.changeSets
  const ended = noteHost(store.settings, hostId)
  const endedHosts = () => ended
  const onStep = options.onStep === undefined ? {} : { onStep: options.onStep }
  return {
    store,
    checkpoints,
    changeSets: createChangeSets({
      disk,
      clock,
      random,
      hostId,
      journal,
      checkpoints,
      endedHosts,
      ...onStep,
    }),
  }
}
