import { type Browser, type BrowserContext, test as base } from '@playwright/test'
import type { OpenAppWindow } from './open-app-window.ts'
import type { OpenRoom } from './open-room.ts'

/** The room or window that the tests of a worker share, from its first use on. */
export type Keeper<Opened> = {
  opened: Opened | null
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

/** Gives a keeper to the tests of a worker and closes what it keeps at the worker's end. */
async function keep<Opened>(use: (keeper: Keeper<Opened>) => Promise<void>): Promise<void> {
  const keeper: Keeper<Opened> = { opened: null, errors: [], endings: [] }
  await use(keeper)
  for (const ending of keeper.endings.reverse()) await ending()
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
export const test = base.extend<object, OfWorker>({
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
})
