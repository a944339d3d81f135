import { expect } from '@playwright/test'
import { harnessAt } from './run-harnesses.ts'
import { test as base } from './worker-test.ts'

/**
 * Tests of a page that lies in the folder `harness` beside `of`: built once a run and served under the content
 * security policy of the app, where `page.goto('?query')` goes. Any complaint of the page (an error, something that the
 * policy refuses) fails its test.
 *
 * `hasOwnContext`: for tests that stop the clock, which belongs to the context; the pages of other tests share one.
 */
export function harnessTest(of: string, hasOwnContext = false) {
  const folder = new URL('./harness', of)
  const pages = hasOwnContext
    ? base
    : base.extend({
        page: async ({ harnessContext }, use) => {
          const { context, renew } = await harnessContext(await harnessAt(folder))
          await use(await context.newPage())
          await renew()
        },
      })
  return pages.extend<{ complaints: string[] }>({
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's shape
    baseURL: async ({}, use) => use(await harnessAt(folder)),
    complaints: [
      async ({ page }, use) => {
        const complaints: string[] = []
        page.on('pageerror', (error) => complaints.push(error.message))
        page.on('console', (message) => {
          if (message.type() === 'error') complaints.push(message.text())
        })
        await use(complaints)
        expect(complaints).toEqual([])
      },
      { auto: true },
    ],
  })
}
