import { expect, type Page } from '@playwright/test'
import { readingMs } from '../../../src/renderer/features/gates/gate-facts.ts'
import type { GateAnswerInput } from '../../../src/shared/domain/session/gate.ts'
import { harnessTest } from '../support/harness-test.ts'

type Answered = { sessionId: string; answer: GateAnswerInput }

/** The parts of the window that ask for consent, over a host in memory. */
export class GatesPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async open(query: string): Promise<void> {
    await this.page.goto(`?${query}`)
    await this.page.waitForFunction(() => parts.store.getState().conversation.current?.status === 'ready')
  }

  /**
   * Opens a scene whose time stands still: its gates are painted, but the time for reading does not pass until `pass`.
   * Events of presses carry that time, too.
   */
  async openStill(query: string): Promise<void> {
    await this.page.clock.install()
    await this.open(`${query}&later`)
    await this.page.clock.pauseAt(await this.page.evaluate(() => Date.now() + 1000))
    await this.show()
  }

  /** Puts the scene's gates into the session and waits until the first one is painted. */
  async show(): Promise<void> {
    await this.page.evaluate(() => dispatchEvent(new Event('open-gates')))
    await this.painted('gate-1')
  }

  async painted(gateId: string): Promise<void> {
    await expect.poll(() => this.#sincePainted(gateId)).toBeLessThan(readingMs)
  }

  /** Lets time go on until the gate takes an answer. */
  async passUntilRead(): Promise<void> {
    const primary = this.gate.locator(':is(.button-primary, .button-warning)')
    await expect
      .poll(async () => {
        await this.pass(100)
        return primary.getAttribute('aria-disabled')
      })
      .toBe('false')
  }

  /** Lets the page's time go on. */
  async pass(ms: number): Promise<void> {
    await this.page.clock.runFor(ms)
  }

  async #sincePainted(gateId: string): Promise<number> {
    await this.page.clock.runFor(20)
    return this.page.evaluate(
      (id) => parts.store.getState().conversation.sincePainted(id, performance.now()) ?? 1e9,
      gateId,
    )
  }

  /** The gate in front. */
  get gate() {
    return this.page.getByRole('region', { name: /^(承認：|Approval: )/ }).first()
  }

  /** Waits until the gate takes an answer. */
  async read(): Promise<void> {
    await this.gate.locator(':is(.button-primary, .button-warning):not([aria-disabled="true"])').waitFor()
  }

  /** The answers that reached the host. */
  answers(): Promise<GateAnswerInput[]> {
    return this.page.evaluate(() =>
      parts.host.calls
        .filter((call) => call.method === 'gate.answer')
        .map((call) => (call.input as Answered).answer),
    )
  }

  calls(method: string): Promise<unknown[]> {
    return this.page.evaluate(
      (name) => parts.host.calls.filter((call) => call.method === name).map((call) => call.input),
      method,
    )
  }
}

type Gates = { gates: GatesPage }

export const test = harnessTest(import.meta.url).extend<Gates>({
  gates: ({ page }, use) => use(new GatesPage(page)),
})

/** For tests that stop the clock. */
export const stillTest = harnessTest(import.meta.url, true).extend<Gates>({
  gates: ({ page }, use) => use(new GatesPage(page)),
})
