import { harnessTest } from '../support/harness-test.ts'

/** Tests with the editor's page, loaded anew for each. */
export const test = harnessTest(import.meta.url).extend<{ harnessPage: undefined }>({
  harnessPage: [
    async ({ page }, use) => {
      await page.goto('')
      await use(undefined)
    },
    { auto: true },
  ],
})
