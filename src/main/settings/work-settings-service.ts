import {
  noWorkSettings,
  WorkSettings,
  type WorkSettingsPatch,
} from '../../shared/domain/work/work-settings.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import type { WorkRepository } from '../store/works/work-repository.ts'
import type { SettingsService } from './settings-service.ts'

/** The user's choices for each folder, the same for every window. */
export type WorkSettingsService = ReturnType<typeof createWorkSettingsService>

const stateKey = 'settings'

export function createWorkSettingsService(
  works: Pick<WorkRepository, 'getState' | 'setState'>,
  appSettings: Pick<SettingsService, 'get'>,
) {
  const changes = createBroadcast<{ workId: string; settings: WorkSettings }>()
  // A value of another version that this one cannot read counts as not set: the app's settings apply.
  const get = (workId: string): WorkSettings =>
    WorkSettings.catch(noWorkSettings).parse(works.getState(workId, stateKey) ?? {})
  return {
    get,
    /** Returns the switches that apply in a folder: the user's choice for it, else the app's. */
    switches(workId: string) {
      const [app, own] = [appSettings.get(), get(workId)]
      return {
        enableFollowupSuggestions: own.enableFollowupSuggestions ?? app.enableFollowupSuggestions,
        enableCacheSharing: own.enableCacheSharing ?? app.enableCacheSharing,
        enableSpeculation: own.enableSpeculation ?? app.enableSpeculation,
        enableChainedSpeculation: own.enableChainedSpeculation ?? app.enableChainedSpeculation,
        stopAtFirstWrite: own.stopAtFirstWrite ?? app.stopAtFirstWrite,
      }
    },
    update(workId: string, patch: WorkSettingsPatch): WorkSettings {
      const settings = { ...get(workId), ...patch }
      works.setState(workId, stateKey, settings)
      changes.send({ workId, settings })
      return settings
    },
    /** The choices now, then after each change. */
    async *watch(workId: string, signal: AbortSignal): AsyncGenerator<WorkSettings, void, void> {
      const later = changes.subscribe(signal)
      yield get(workId)
      for await (const change of later) if (change.workId === workId) yield change.settings
    },
    /** Each change from now on, of whichever folder. */
    changes: (signal: AbortSignal): AsyncIterable<unknown> => changes.subscribe(signal),
  }
}
