import {
  noWorkSettings,
  WorkSettings,
  type WorkSettingsPatch,
} from '../../shared/domain/work/work-settings.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import type { WorkRepository } from '../store/work-repository.ts'

/** The user's choices for each folder, the same for every window. */
export type WorkSettingsService = {
  get(workId: string): WorkSettings
  update(workId: string, patch: WorkSettingsPatch): WorkSettings
  /** The choices now, then after each change. */
  watch(workId: string, signal: AbortSignal): AsyncGenerator<WorkSettings, void, void>
  /** Each change from now on, of whichever folder. */
  changes(signal: AbortSignal): AsyncIterable<unknown>
}

const stateKey = 'settings'

export function createWorkSettingsService(
  works: Pick<WorkRepository, 'getState' | 'setState'>,
): WorkSettingsService {
  const changes = createBroadcast<{ workId: string; settings: WorkSettings }>()
  // A value of another version that this one cannot read counts as not set: the app's settings apply.
  const get = (workId: string): WorkSettings =>
    WorkSettings.catch(noWorkSettings).parse(works.getState(workId, stateKey) ?? {})
  return {
    get,
    update(workId, patch) {
      const settings = { ...get(workId), ...patch }
      works.setState(workId, stateKey, settings)
      changes.send({ workId, settings })
      return settings
    },
    watch: (workId, signal) => told(get(workId), changes.subscribe(signal), workId),
    changes: (signal) => changes.subscribe(signal),
  }
}

async function* told(
  now: WorkSettings,
  changes: AsyncIterable<{ workId: string; settings: WorkSettings }>,
  workId: string,
): AsyncGenerator<WorkSettings, void, void> {
  yield now
  for await (const change of changes) if (change.workId === workId) yield change.settings
}
