import { type CDPSession, expect, type Locator, type Page } from '@playwright/test'
import { harnessTest } from '../support/harness-test.ts'
import type {} from './harness/harness.ts'

/** A window over a folder of code, with the session of the mock open. */
export class SessionPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async open(query = ''): Promise<void> {
    await this.page.goto(`?project&mock&model${query}`)
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

export const test = harnessTest(import.meta.url).extend<{ session: SessionPage }>({
  session: ({ page }, use) => use(new SessionPage(page)),
})

export { expect }
