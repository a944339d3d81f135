import type { Page } from '@playwright/test'
import { expect, type SessionPage, test } from '../window/session-test.ts'

/** The ghost of a window over a host in memory; no gate waits. */
class Ghost {
  readonly page: Page
  readonly session: SessionPage

  constructor(session: SessionPage) {
    this.session = session
    this.page = session.page
  }

  get text() {
    return this.page.locator('.cm-ghost')
  }

  async open(query = ''): Promise<void> {
    await this.session.open(query)
    await this.page.evaluate(() => harness.host.sessions.change('session-3', { openGates: [] }))
  }

  get placeholder() {
    return this.page.locator('.message-box .cm-placeholder')
  }

  async offer(text: string): Promise<void> {
    await this.page.evaluate((words) => harness.host.suggestions.offer(words), text)
    await expect(this.text).toHaveText(text)
  }

  outcomes() {
    return this.page.evaluate(() => harness.host.suggestions.outcomes)
  }

  async sent(): Promise<string[]> {
    const asked = (await this.session.asked('session.send')) as { segments: { text: string }[] }[]
    return asked.map(({ segments }) => segments.map((one) => one.text).join(''))
  }

  async empty(): Promise<void> {
    await this.session.box.fill('')
    await expect(this.placeholder).toBeVisible()
  }
}

test('Tab and → fill, Enter sends, each at once and once', async ({ session, page }) => {
  const ghost = new Ghost(session)
  await ghost.open()
  await expect(ghost.placeholder).toBeVisible()
  for (const [key, method] of [
    ['Tab', 'tab'],
    ['ArrowRight', 'right'],
  ] as const) {
    await test.step(key, async () => {
      await ghost.offer('テストを実行して')
      await expect(ghost.placeholder).toHaveCount(0)
      await page.keyboard.press(key)
      await expect(session.box).toHaveText('テストを実行して')
      await expect(ghost.text).toHaveCount(0)
      await expect(session.box).toBeFocused()
      expect(await ghost.outcomes()).toMatchObject([{ outcome: 'accepted', method }])
      await page.evaluate(() => harness.host.suggestions.outcomes.splice(0))
      await ghost.empty()
    })
  }
  await test.step('Enter', async () => {
    await ghost.offer('テストを実行して')
    await page.keyboard.press('Enter')
    await expect.poll(() => ghost.sent()).toEqual(['テストを実行して'])
    expect(await ghost.outcomes()).toMatchObject([{ outcome: 'accepted', method: 'enter' }])
    await expect(ghost.placeholder).toBeVisible()
  })
})
