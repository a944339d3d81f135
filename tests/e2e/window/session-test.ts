import { test as base, type CDPSession, expect, type Locator, type Page } from '@playwright/test'
import type {} from './harness/harness.ts'
import { type HarnessServer, serveWindow } from './harness-server.ts'

/** A window over a folder of code, with the session of the mock open. */
export class SessionPage {
  readonly page: Page
  readonly #url: string

  constructor(page: Page, url: string) {
    this.page = page
    this.#url = url
  }

  async open(query = ''): Promise<void> {
    await this.page.goto(`${this.#url}?project&mock&model${query}`)
    await this.list
      .getByRole('button', { name: /^日付の誤りを直す/ })
      .first()
      .click()
    await expect(this.log).toContainText('1900 年は 100 で割り切れ')
    await expect(this.box).toBeFocused()
  }

  get list(): Locator {
    return this.page.getByRole('navigation', { name: 'セッション' })
  }

  get log(): Locator {
    return this.page.getByRole('log', { name: '会話' })
  }

  get box(): Locator {
    return this.page.getByRole('textbox', { name: 'メッセージ' })
  }

  get rows(): Locator {
    return this.log.locator('.conversation-row')
  }

  /** Inputs of a method in the order in which it was asked. */
  async asked(method: string): Promise<unknown[]> {
    return this.page.evaluate(
      (name) => harness.host.calls.filter((call) => call.method === name).map((call) => call.input),
      method,
    )
  }

  async works(isWorking: boolean): Promise<void> {
    await this.page.evaluate((isOn) => {
      const activity = { phase: 'writing' as const, progress: null, startedAt: Date.now() }
      harness.host.sessions.change('session-3', { activity: isOn ? activity : null, openGates: [] })
    }, isWorking)
    const stop = this.page.locator('.message-box').getByRole('button', { name: '停止' })
    await expect(stop).toHaveCount(isWorking ? 1 : 0)
  }

  keyboard(): Promise<CDPSession> {
    return this.page.context().newCDPSession(this.page)
  }
}

type Fixtures = { session: SessionPage }
type WorkerFixtures = { server: HarnessServer }

/** The page's policy is the app's own: a style or script that it refuses is an error here. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's shape
    async ({}, use) => {
      const server = await serveWindow()
      await use(server)
      await server.close()
    },
    { scope: 'worker' },
  ],
  session: async ({ page, server }, use) => {
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await use(new SessionPage(page, server.url))
    expect(complaints).toEqual([])
  },
})

export { expect }
