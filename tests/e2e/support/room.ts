import { expect, type Locator, type Page } from '@playwright/test'

/** The window of a session, as its user meets it. Its words are Japanese: the tests' host says so. */
export class Room {
  readonly page: Page
  readonly box: Locator
  readonly conversation: Locator
  readonly gate: Locator
  readonly side: Locator
  readonly status: Locator
  /** The folder's sessions. */
  readonly list: Locator

  constructor(page: Page) {
    this.page = page
    this.box = page.getByRole('textbox', { name: 'メッセージ' })
    this.conversation = page.getByRole('log', { name: '会話' })
    this.gate = page.getByRole('region', { name: /^承認：/ })
    this.side = page.getByRole('complementary', { name: 'セッションのサイドバー' })
    this.list = page.getByRole('navigation', { name: 'セッション' })
    this.status = page.getByRole('contentinfo')
  }

  async open(link: string): Promise<void> {
    await this.page.goto(link)
    await this.page
      .getByRole('radio', { name: 'セッション' })
      .or(this.page.getByRole('button', { name: 'セッション', exact: true }))
      .first()
      .click()
    await expect(this.box).toBeVisible()
  }

  /** The same folder in a second window. */
  async another(page: Page, link: string): Promise<Room> {
    const room = new Room(page)
    await room.open(link)
    return room
  }

  async say(text: string, key = 'Enter'): Promise<void> {
    await this.box.click()
    await this.page.keyboard.insertText(text)
    await this.page.keyboard.press(key)
  }

  /** Says yes as soon as the gate can be read. */
  async approve(
    name = /^(適用|選んだ変更を適用|実行|それでも実行|読み取りを許可|進める|許可)$/,
  ): Promise<void> {
    const button = this.gate.getByRole('button', { name })
    await expect(button).toBeVisible()
    await expect(button).not.toHaveAttribute('aria-disabled', 'true')
    await button.click()
  }

  async refuse(reason?: string): Promise<void> {
    await expect(this.gate.getByRole('button', { name: '却下', exact: true }).last()).not.toHaveAttribute(
      'aria-disabled',
      'true',
    )
    if (reason === undefined) {
      await this.gate.locator('.gate-buttons').getByRole('button', { name: '却下', exact: true }).click()
      return
    }
    await this.gate.getByRole('button', { name: '理由を添えて却下' }).click()
    await this.gate.getByRole('textbox', { name: '却下の理由' }).fill(reason)
    await this.gate.getByRole('button', { name: '理由を添えて却下' }).click()
  }

  /** Where the course stands, as the panel says it. */
  async isAt(place: string): Promise<void> {
    await expect(this.status).toContainText(place)
  }

  /** What can be done with a turn, from the menu under it. */
  async inTurn(turn: number, action: string): Promise<void> {
    await this.page.getByRole('button', { name: `${turn} 番目のやりとりの操作` }).click()
    await this.page.getByRole('menuitem', { name: action }).click()
  }

  async showTab(name: string): Promise<void> {
    await this.side.getByRole('tab', { name }).click()
  }
}
