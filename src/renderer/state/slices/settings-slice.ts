import { AppSettings, type AppSettingsPatch } from '../../../shared/domain/app/app-settings.ts'
import type { DraftSettings } from '../../../shared/domain/drafting/draft-settings.ts'
import { createSerialQueue } from '../../../shared/serial-queue.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

export function createSettingsSlice(context: SliceContext) {
  const { client, get, patch, follow } = context
  const inTurn = createSerialQueue()
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

    /** Lists are changed as a whole: a function makes the change from the value after the changes before it. */
    update: (change: AppSettingsPatch | ((value: AppSettings) => AppSettingsPatch)) =>
      inTurn(async () => {
        try {
          const made = typeof change === 'function' ? change(get().settings.value) : change
          patch('settings', { value: await client['settings.update']({ patch: made }) })
          if (made.drafting) get().preview.invalidate()
        } catch (error) {
          get().ui.toastError(infoOf(error))
        }
      }),

    updateDrafting: (change: Partial<DraftSettings>) => get().settings.update({ drafting: change }),
  }
}
