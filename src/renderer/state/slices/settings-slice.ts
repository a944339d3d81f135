import { AppSettings, type AppSettingsPatch } from '../../../shared/domain/app/app-settings.ts'
import type { DraftSettings } from '../../../shared/domain/drafting/draft-settings.ts'
import { createSerialQueue } from '../../../shared/serial-queue.ts'
import type { SliceContext } from './slice.ts'

export function createSettingsSlice(context: SliceContext) {
  const { client, get, patch, follow, attempt, tell } = context
  const inTurn = createSerialQueue()
  return {
    value: AppSettings.parse({}),
    isLoaded: false,

    start() {
      follow(
        (signal) => client['settings.watch']({}, { signal }),
        (value) => patch('settings', { value, isLoaded: true }),
        tell,
      )
    },

    /** Lists are changed as a whole: a function makes the change from the value after the changes before it. */
    update: (change: AppSettingsPatch | ((value: AppSettings) => AppSettingsPatch)) =>
      inTurn(async () => {
        await attempt(async () => {
          const made = typeof change === 'function' ? change(get().settings.value) : change
          patch('settings', { value: await client['settings.update']({ patch: made }) })
          if (made.drafting) get().preview.invalidate()
        })
      }),

    updateDrafting: (change: Partial<DraftSettings>) => get().settings.update({ drafting: change }),
  }
}
