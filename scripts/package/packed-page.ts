import { chromium, errors } from '@playwright/test'

const patienceMs = 60_000

/**
 * Waits for the model of a running packed app, then continues the open page as an author would, by Ctrl+Enter.
 *
 * Shape: the error, or undefined when the page got `expected`.
 */
export async function continuePage(devTools: string, expected: string): Promise<string | undefined> {
  const browser = await chromium.connectOverCDP(devTools)
  try {
    const page = browser
      .contexts()
      .flatMap((context) => context.pages())
      .find((candidate) => candidate.url().includes('/index.html'))
    if (page === undefined) return 'the app has no page'
    await page.locator('.status-bar', { hasText: 'tiny' }).waitFor({ timeout: patienceMs })
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Control+Enter')
    await page.locator('.cm-content', { hasText: expected }).waitFor({ timeout: patienceMs })
    return undefined
  } catch (error) {
    if (error instanceof errors.TimeoutError) return error.message
    throw error
  } finally {
    await browser.close()
  }
}
