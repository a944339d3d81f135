import { expect } from '@playwright/test'
import { type OpenRoom, openRoom, pageErrors, type RoomOptions } from './open-room.ts'
import { leaveSharedRoom, openSharedRoom, type SharedOptions, type SharedRoom } from './shared-room.ts'
import { test as base } from './worker-test.ts'

type Rooms = {
  /** A room with a host and a data folder of its own. */
  openRoom: (options?: RoomOptions) => Promise<OpenRoom>
  /** The room that the tests of a worker share, made empty. */
  openSharedRoom: (options?: SharedOptions) => Promise<SharedRoom>
}

/** Tests of sessions in a window; an error of the page fails the test. */
export const test = base.extend<Rooms>({
  openRoom: async ({ page }, use) => {
    const endings: (() => Promise<void>)[] = []
    const errors = pageErrors(page)
    await use((options = {}) => openRoom(page, options, (ending) => endings.push(ending)))
    // Errors of a window that outlives its host are expected.
    const reported = errors.filter((text) => !text.includes('WebSocket'))
    for (const ending of endings.reverse()) await ending()
    expect(reported).toEqual([])
  },
  openSharedRoom: async ({ browser, keeper, viewport, locale }, use) => {
    const newPage = async () =>
      (await browser.newContext({ viewport, ...(locale === undefined ? {} : { locale }) })).newPage()
    await use((options = {}) => openSharedRoom(keeper, newPage, options))
    expect(keeper.errors.splice(0)).toEqual([])
    await leaveSharedRoom(keeper)
  },
})
export type { OpenRoom, RoomOptions, SharedOptions, SharedRoom }
export { expect }
