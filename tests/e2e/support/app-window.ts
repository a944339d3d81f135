import { basename } from 'node:path'
import { type BrowserContext, type CDPSession, expect, type Locator, type Page } from '@playwright/test'

/** The window while a work is open, as an author uses it. Its texts are Japanese, as set by the tests' host. */
export class AppWindow {
  readonly page: Page
  readonly editor: Locator
  /** The pending continuation at its place. */
  readonly pending: Locator
  readonly status: Locator
  readonly takes: Locator
  readonly prompt: Locator

  constructor(page: Page) {
    this.page = page
    this.editor = page.getByRole('textbox', { name: '本文' })
    this.pending = page.getByRole('note', { name: '続きの候補' })
    this.status = page.getByRole('contentinfo')
    this.takes = page.getByRole('list', { name: '候補' }).getByRole('listitem')
    this.prompt = page.getByRole('list', { name: '送る文章' })
  }

  /** Opens the window and waits for a text that is there, with the caret at its end. */
  async open(link: string): Promise<void> {
    await this.page.goto(link)
    await this.caretToEnd()
  }

  /** Opens another window on the same host with a work; without a context as another tab. */
  async openAnother(
    link: string,
    root: string,
    context: BrowserContext = this.page.context(),
  ): Promise<AppWindow> {
    const other = new AppWindow(await context.newPage())
    await other.open(link)
    // Mostly it is the work that the host had open last: opened again, it would take the caret away a moment later.
    const title = await other.page.getByRole('banner').innerText()
    if (title.includes(basename(root))) return other
    await other.openFolder(root)
    await other.caretToEnd()
    return other
  }

  /** Opens another folder, as its user does. */
  async openFolder(root: string): Promise<void> {
    await this.page.keyboard.press('Control+o')
    const picker = this.page.getByRole('dialog')
    const path = picker.locator('.picker-path input')
    // The folder that is shown first comes into the field by itself.
    await expect(path).not.toHaveValue('')
    await path.fill(root)
    await path.press('Enter')
    await expect(picker.locator('.dialog-footer').getByText(root, { exact: true })).toBeVisible()
    await picker.locator('.dialog-footer .button-primary').click()
    await expect(picker).toHaveCount(0)
    // Until then the text of the folder before is shown.
    await expect(this.page.locator('.app-body[inert]')).toHaveCount(0)
  }

  async caretToEnd(): Promise<void> {
    await expect(this.page.getByRole('status').filter({ hasText: '保存済み' })).toBeVisible()
    await this.editor.focus()
    await this.page.keyboard.press('Control+End')
  }

  /** Loads the window anew, as F5 does. */
  async reload(): Promise<void> {
    await this.page.reload()
    await expect(this.editor).toBeVisible()
  }

  /** The author's text alone: what is pending is no part of it. Only for texts that fit on the screen. */
  text(): Promise<string> {
    return this.editor.evaluate((editor) => {
      const own = editor.cloneNode(true) as HTMLElement
      for (const shown of own.querySelectorAll('.cm-pending, .cm-pendingHints, .cm-placeholder'))
        shown.remove()
      return [...own.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n')
    })
  }

  /** Returns the exact text that is offered; empty where nothing is. */
  async offered(): Promise<string> {
    return (await this.pending.allTextContents()).join('')
  }

  press(keys: string): Promise<void> {
    return this.page.keyboard.press(keys)
  }

  /** Puts the caret at a place in one of the lines. Units: lines from 1, characters of a line. */
  async caretTo(line: number, column: number): Promise<void> {
    await this.editor.focus()
    await this.press('Control+Home')
    for (let step = 1; step < line; step += 1) await this.press('ArrowDown')
    await this.press('Home')
    for (let step = 0; step < column; step += 1) await this.press('ArrowRight')
  }

  async showTab(name: '詳細' | '候補' | 'アイデア' | '文脈' | 'メモ' | '履歴'): Promise<void> {
    await this.page.getByRole('tab', { name, exact: true }).click()
  }

  /** Runs a command of the palette by its name. */
  async command(name: string): Promise<void> {
    await this.press('Control+Shift+P')
    await this.page.getByPlaceholder('したいこと、または原稿の名前').fill(name)
    await this.page.getByRole('option', { name }).first().click()
  }

  /** The whole prompt that the context's view shows, its parts joined. */
  async shownPrompt(): Promise<string> {
    return (await this.prompt.locator('li > p').allTextContents()).join('')
  }

  /** Waits until nothing is written any more. */
  async idle(timeoutMs?: number): Promise<void> {
    const options = timeoutMs === undefined ? {} : { timeout: timeoutMs }
    await expect(this.status.getByRole('button', { name: '停止' })).toHaveCount(0, options)
  }

  /** One step of an input method's composition. */
  async compose(ime: CDPSession, text: string): Promise<void> {
    const end = text.length
    await ime.send('Input.imeSetComposition', { text, selectionStart: end, selectionEnd: end })
  }

  /** A key that the input method takes for itself: pages see code 229. */
  async composingKey(ime: CDPSession, key: string, modifier?: 'Control'): Promise<void> {
    const press = { windowsVirtualKeyCode: 229, key, modifiers: modifier === undefined ? 0 : 2 }
    await ime.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...press })
    await ime.send('Input.dispatchKeyEvent', { type: 'keyUp', ...press })
  }
}
