import { expect, type Locator, type Page } from '@playwright/test'

type Language = 'ja' | 'en'

/** The names that a session's window gives to its parts. */
const names = {
  ja: {
    box: 'メッセージ',
    conversation: '会話',
    gate: /^承認：/,
    side: 'セッションのサイドバー',
    session: 'セッション',
    sessions: 'セッション',
    approve: /^(適用|選んだ変更を適用|実行|それでも実行|読み取りを許可|進める|許可)$/,
    turn: (turn: number) => `${turn} 番目のやりとりの操作`,
  },
  en: {
    box: 'Message',
    conversation: 'Conversation',
    gate: /^Approval: /,
    side: 'Session sidebar',
    session: 'Sessions',
    sessions: 'Sessions',
    approve: /^(Apply|Apply the chosen changes|Run|Allow)$/,
    turn: (turn: number) => `Actions for turn ${turn}`,
  },
} as const

/** The window of a session, as its user sees it. Its texts are Japanese where no other language is given. */
export class Room {
  readonly page: Page
  readonly box: Locator
  readonly conversation: Locator
  readonly gate: Locator
  readonly side: Locator
  readonly status: Locator
  /** The folder's sessions. */
  readonly list: Locator

  readonly #language: Language

  constructor(page: Page, language: Language = 'ja') {
    const words = names[language]
    this.#language = language
    this.page = page
    this.box = page.getByRole('textbox', { name: words.box, exact: true })
    this.conversation = page.getByRole('log', { name: words.conversation })
    this.gate = page.getByRole('region', { name: words.gate })
    this.side = page.getByRole('complementary', { name: words.side })
    this.list = page.getByRole('navigation', { name: words.sessions })
    this.status = page.getByRole('contentinfo')
  }

  async open(link: string): Promise<void> {
    await this.page.goto(link)
    await this.page
      .getByRole('radio', { name: names[this.#language].session })
      .or(this.page.getByRole('button', { name: names[this.#language].session, exact: true }))
      .first()
      .click()
    await expect(this.box).toBeVisible()
  }

  /** The same folder in a second window. */
  async another(page: Page, link: string): Promise<Room> {
    const room = new Room(page, this.#language)
    await room.open(link)
    return room
  }

  async say(text: string, key = 'Enter'): Promise<void> {
    await this.box.click()
    await this.page.keyboard.insertText(text)
    await this.page.keyboard.press(key)
  }

  /** Approves the gate as soon as its button is visible. */
  async approve(name: RegExp = names[this.#language].approve): Promise<void> {
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

  /** Waits until the panel shows this place of the session. */
  async isAt(place: string): Promise<void> {
    await expect(this.status).toContainText(place)
  }

  /** Chooses an action from the menu of a turn. */
  async inTurn(turn: number, action: string): Promise<void> {
    await this.page.getByRole('button', { name: names[this.#language].turn(turn) }).click()
    await this.page.getByRole('menuitem', { name: action }).click()
  }

  async showTab(name: string): Promise<void> {
    await this.side.getByRole('tab', { name }).click()
  }
}
