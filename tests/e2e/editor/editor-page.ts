import type { Page } from '@playwright/test'
import type { PendingContinuation, PendingEvent } from '../../../src/renderer/editor/editor-types.ts'

export const KEY = '001.txt'

/** The actions of tests on the editor's page. */
export class EditorPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Opens a text with the caret at its end, or at `caret`. */
  async open(text: string, caret = text.length): Promise<void> {
    await this.page.evaluate(
      async ({ text, caret }) => {
        await window.editorHarness.open(text)
        const { editor, view } = window.editorHarness.pane()
        editor.focus()
        view().dispatch({ selection: { anchor: caret }, scrollIntoView: true })
      },
      { text, caret },
    )
  }

  /** Shows an offer; by default a finished one at the end of the text. */
  async offer(offer: Partial<PendingContinuation>): Promise<void> {
    await this.page.evaluate(
      ({ offer, key }) => {
        const { editor, view } = window.editorHarness.pane()
        const position = view().state.doc.length
        editor.showPending(key, { id: 'take-1', position, lead: '', text: '', phase: 'finished', ...offer })
      },
      { offer, key: KEY },
    )
  }

  text(): Promise<string> {
    return this.page.evaluate((key) => window.editorHarness.pane().editor.textOf(key) ?? '', KEY)
  }

  caret(): Promise<number> {
    return this.page.evaluate(() => window.editorHarness.pane().view().state.selection.main.head)
  }

  events(): Promise<PendingEvent[]> {
    return this.page.evaluate(() => window.editorHarness.pane().events)
  }

  /** The pending text as it is shown, or null. */
  async pending(): Promise<string | null> {
    const shown = this.page.locator('.cm-pending')
    return (await shown.count()) === 0 ? null : shown.textContent()
  }

  press(...keys: string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve())
  }
}
