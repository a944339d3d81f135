import { test as base } from '@playwright/test'
import { serveHarness } from './harness-server.ts'

/** Tests with the editor's page: built once a worker, loaded anew for each test, any page error fails it. */
export const test = base.extend<{ harnessPage: undefined }, { harnessUrl: string }>({
  harnessUrl: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const server = await serveHarness()
      await use(server.url)
      await server.close()
    },
    { scope: 'worker' },
  ],
  harnessPage: [
    async ({ page, harnessUrl }, use) => {
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text())
      })
      await page.goto(harnessUrl)
      await use(undefined)
      if (errors.length > 0) throw new Error(`The page reported: ${errors.join('; ')}`)
    },
    { auto: true },
  ],
})
