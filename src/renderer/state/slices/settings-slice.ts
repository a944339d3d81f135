import { AppSettings, type AppSettingsPatch } from '../../../shared/domain/app/app-settings.ts'
import type { DraftSettings } from '../../../shared/domain/drafting/draft-settings.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

export type SettingsSlice = {
  value: AppSettings
  isLoaded: boolean
  start(): void
  update(patch: AppSettingsPatch): Promise<void>
  updateDrafting(patch: Partial<DraftSettings>): Promise<void>
}

export function createSettingsSlice(context: SliceContext): SettingsSlice {
  const { client, get, patch, follow } = context
  return {
    value: AppSettings.parse({}),
    isLoaded: false,

    start() {
      follow(
        (signal) => client['settings.watch']({}, { signal }),
        (value) => patch('settings', { value, isLoaded: true }),
        (error) => get().ui.toastError(infoOf(error)),
      )
    },

    async update(change) {
      try {
        patch('settings', { value: await client['settings.update']({ patch: change }) })
        if (change.drafting) get().preview.invalidate()
      } catch (error) {
        get().ui.toastError(infoOf(error))
      }
    },

    updateDrafting: (change) => get().settings.update({ drafting: change }),
  }
}
