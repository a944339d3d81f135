import { test as base } from '@playwright/test'
import { type HarnessServer, serveHarness } from './harness-server.ts'
import { closeRoom, type RoomKeeper } from './open-room.ts'

type OfWorker = {
  /** Where the page of a folder is served; it is built when a test first asks for it. */
  harnessAt: (folder: URL) => Promise<string>
  keeper: RoomKeeper
}

/**
 * What lives as long as a worker, for all tests: Playwright starts a new worker and a new browser where the tests of
 * the next file have other fixtures of this kind.
 */
export const test = base.extend<{ roomOfFile: undefined }, OfWorker>({
  harnessAt: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's shape
    async ({}, use) => {
      const servers = new Map<string, Promise<HarnessServer>>()
      await use(async (folder) => {
        const server = servers.get(folder.href) ?? serveHarness(folder)
        servers.set(folder.href, server)
        return (await server).url
      })
      for (const server of servers.values()) await (await server).close()
    },
    { scope: 'worker' },
  ],
  keeper: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's shape
    async ({}, use) => {
      const keeper: RoomKeeper = { opened: null, file: '', errors: [], endings: [] }
      await use(keeper)
      await closeRoom(keeper)
    },
    { scope: 'worker' },
  ],
  // A room that is left open would go on drawing beside the tests of other files.
  roomOfFile: [
    async ({ keeper }, use, { file }) => {
      if (keeper.file !== file) await closeRoom(keeper)
      keeper.file = file
      await use(undefined)
    },
    { auto: true },
  ],
})
