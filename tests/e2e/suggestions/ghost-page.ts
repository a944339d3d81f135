import { expect, type Locator, type Page } from '@playwright/test'
import type { SessionPage } from '../window/session-test.ts'

/** The ghost of a window over a host in memory; no gate waits in its session. */
export class GhostPage {
  readonly page: Page
  readonly session: SessionPage

  constructor(session: SessionPage) {
    this.session = session
    this.page = session.page
  }

  get text(): Locator {
    return this.page.locator('.cm-ghost')
  }

  get placeholder(): Locator {
    return this.page.locator('.message-box .cm-placeholder')
  }

  async open(query = ''): Promise<void> {
    await this.session.open(query)
    await this.page.evaluate(() => harness.host.sessions.change('session-3', { openGates: [] }))
  }

  /** Makes the host suggest a text; does not wait for the ghost. */
  async suggest(text: string): Promise<void> {
    await this.page.evaluate((words) => harness.host.suggestions.offer(words), text)
  }

  async offer(text: string): Promise<void> {
    await this.suggest(text)
    await expect(this.text).toHaveText(text)
  }

  /** Makes the host withdraw the suggestion. */
  async withdraw(): Promise<void> {
    await this.page.evaluate(() => {
      const nothing = { suggestionId: null, text: null, source: null, suppressed: 'run_active' }
      harness.host.suggestions.become(nothing)
    })
    await expect(this.text).toHaveCount(0)
  }

  async entersFill(): Promise<void> {
    await this.page.evaluate(() => {
      const { host } = harness
      host.settings = { ...host.settings, suggestionEnter: 'fill' }
      host.topics.settings.publish(host.settings)
    })
  }

  /** Waits for `count` outcomes of suggestions since the last call, and returns them. */
  async outcomes(count: number): Promise<unknown[]> {
    const told = () => this.page.evaluate(() => harness.host.suggestions.outcomes.length)
    await expect.poll(told).toBe(count)
    return this.page.evaluate(() => harness.host.suggestions.outcomes.splice(0))
  }

  /** What was sent, message by message. */
  async sent(): Promise<string[]> {
    const asked = (await this.session.asked('session.send')) as { segments: { text: string }[] }[]
    return asked.map(({ segments }) => segments.map((one) => one.text).join(''))
  }

  /** Takes everything out of the box, as its user does. */
  async empty(): Promise<void> {
    await this.page.keyboard.press('Control+a')
    await this.page.keyboard.press('Delete')
    await expect(this.placeholder).toBeVisible()
    await expect(this.text).toHaveCount(0)
  }
}
