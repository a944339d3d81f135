import { test as base } from '@playwright/test'
import { serveHarness } from './harness-server.ts'

/**
 * Tests of a page that lies in the folder `harness` beside `of`: built once a worker and served under the content
 * security policy of the app, where `page.goto('?query')` goes. Any complaint of the page (an error, something that the policy refuses) fails its test.
 */
export function harnessTest(of: string) {
  return base.extend<{ complaints: string[] }, { harnessUrl: string }>({
    harnessUrl: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's shape
      async ({}, use) => {
        const server = await serveHarness(new URL('./harness', of))
        await use(server.url)
        await server.close()
      },
      { scope: 'worker' },
    ],
    baseURL: ({ harnessUrl }, use) => use(harnessUrl),
    complaints: [
      async ({ page }, use) => {
        const complaints: string[] = []
        page.on('pageerror', (error) => complaints.push(error.message))
        page.on('console', (message) => {
          if (message.type() === 'error') complaints.push(message.text())
        })
        await use(complaints)
        base.expect(complaints).toEqual([])
      },
      { auto: true },
    ],
  })
}
