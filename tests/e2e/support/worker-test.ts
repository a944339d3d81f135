import { type Browser, type BrowserContext, test as base } from '@playwright/test'
import type { OpenAppWindow } from './open-app-window.ts'
import type { OpenRoom } from './open-room.ts'

/** The room or window that the tests of a file share in one worker, from its first use on. */
export type Keeper<Opened> = {
  opened: Opened | null
  file: string
  errors: string[]
  endings: (() => Promise<void>)[]
}

/** `renew` removes the traces of a test: its pages, its permissions, the data that its pages stored. */
export type HarnessContext = { context: BrowserContext; renew(): Promise<void> }

type OfWorker = {
  /** The browser's state that the pages of a harness share: a new one costs a process of the renderer for each test. */
  harnessContext: (baseURL: string) => Promise<HarnessContext>
  keeper: Keeper<OpenRoom>
  windowKeeper: Keeper<OpenAppWindow>
}

async function closeKept(keeper: Keeper<unknown>): Promise<void> {
  keeper.opened = null
  for (const ending of keeper.endings.splice(0).reverse()) await ending()
}

/** Gives a keeper to the tests of a worker and closes what it keeps at the worker's end. */
async function keep<Opened>(use: (keeper: Keeper<Opened>) => Promise<void>): Promise<void> {
  const keeper: Keeper<Opened> = { opened: null, file: '', errors: [], endings: [] }
  await use(keeper)
  await closeKept(keeper)
}

async function openHarnessContext(browser: Browser, baseURL: string): Promise<HarnessContext> {
  const context = await browser.newContext({
    baseURL,
    viewport: { width: 1440, height: 900 },
    locale: 'ja-JP',
  })
  const idle = await context.newPage()
  await idle.goto('idle.html')
  return {
    context,
    async renew() {
      for (const page of context.pages()) if (page !== idle) await page.close()
      await context.clearPermissions()
      await idle.evaluate(() => localStorage.clear())
    },
  }
}

/**
 * The worker fixtures of all tests, in one place: Playwright starts a new worker and a new browser where the tests of
 * the next file have other worker fixtures.
 */
export const test = base.extend<{ roomOfFile: undefined }, OfWorker>({
  harnessContext: [
    async ({ browser }, use) => {
      const opened = new Map<string, HarnessContext>()
      await use(async (baseURL) => {
        const kept = opened.get(baseURL) ?? (await openHarnessContext(browser, baseURL))
        opened.set(baseURL, kept)
        return kept
      })
      for (const { context } of opened.values()) await context.close()
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's shape
  keeper: [({}, use) => keep<OpenRoom>(use), { scope: 'worker' }],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's shape
  windowKeeper: [({}, use) => keep<OpenAppWindow>(use), { scope: 'worker' }],
  // A room or window that stays open would go on drawing during the tests of other files.
  roomOfFile: [
    async ({ keeper, windowKeeper }, use, { file }) => {
      for (const kept of [keeper, windowKeeper]) {
        if (kept.file !== file) await closeKept(kept)
        kept.file = file
      }
      await use(undefined)
    },
    { auto: true },
  ],
})
