import { AppSettings, type AppSettingsPatch } from '../../../shared/domain/app/app-settings.ts'
import type { DraftSettings } from '../../../shared/domain/drafting/draft-settings.ts'
import {
  noWorkSettings,
  type WorkSettings,
  type WorkSettingsPatch,
} from '../../../shared/domain/work/work-settings.ts'
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

/** The user's settings for the open folder alone. */
export function createWorkSettingsSlice({ client, get, patch, follow, tell, attempt }: SliceContext) {
  let stop: (() => void) | undefined
  let followed: string | null = null
  const inTurn = createSerialQueue()
  return {
    value: noWorkSettings as WorkSettings,
    /** Commands that the folder's own files name, as they were last looked for. */
    proposedChecks: [] as readonly string[],

    follow(workId: string | null) {
      stop?.()
      stop = undefined
      // After a reconnect the known settings stay until the host reports them anew.
      if (workId !== followed) patch('workSettings', { value: noWorkSettings, proposedChecks: [] })
      followed = workId
      if (workId === null) return
      stop = follow(
        (signal) => client['work.watchSettings']({ workId }, { signal }),
        (value) => patch('workSettings', { value }),
        tell,
      )
    },

    async findChecks() {
      const workId = followed
      if (workId === null) return
      await attempt(async () => {
        const { lines } = await client['check.proposed']({ workId })
        if (workId === followed) patch('workSettings', { proposedChecks: lines })
      })
    },

    /** Lists are changed as a whole: a function makes the change from the value after the changes before it. */
    async update(change: WorkSettingsPatch | ((value: WorkSettings) => WorkSettingsPatch)) {
      const workId = get().work.current?.workId
      if (workId === undefined) return
      await inTurn(async () => {
        // A list of another work would be written into this one.
        if (workId !== followed && typeof change === 'function') return
        await attempt(async () => {
          const made = typeof change === 'function' ? change(get().workSettings.value) : change
          const value = await client['work.updateSettings']({ workId, patch: made })
          if (workId === followed) patch('workSettings', { value })
        })
      })
    },
  }
}
