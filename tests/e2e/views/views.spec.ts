/** Checks of all views by axe and the keyboard. `TSUGI_SOAK` checks every view as a whole and in both languages. */
import { mergeTests, type Page, type TestInfo } from '@playwright/test'
import type { Client } from '../../../src/shared/contract/index.ts'
import { expect, test as novelTest } from '../support/drafting-test.ts'
import { startHost } from '../support/host.ts'
import { openHostClient } from '../support/host-client.ts'
import { test as sessionTest } from '../support/session-test.ts'
import { checksAll, violations } from './axe.ts'
import { controlsIn, doubled, isUnnamed, unreachedByKeyboard } from './controls.ts'
import { walkNovel } from './novel-views.ts'
import { walkSession } from './session-views.ts'
import { walkWelcome } from './welcome-views.ts'

const test = mergeTests(novelTest, sessionTest)

/** Collects from each view its faults and controls: one view after the other in the other language. */
class Inspection {
  readonly faults: string[] = []
  readonly #controls = { ja: new Set<string>(), en: new Set<string>() }
  readonly #page: Page
  readonly #language: 'ja' | 'en'
  readonly #client: () => Client | undefined
  #views = 0

  constructor(page: Page, language: 'ja' | 'en', client: () => Client | undefined) {
    this.#page = page
    this.#language = language
    this.#client = client
  }

  readonly visit = async (name: string): Promise<void> => {
    const page = this.#page
    const note = (faults: readonly string[]) => this.faults.push(...faults.map((one) => `${name}: ${one}`))
    note(await violations(page))
    note((await unreachedByKeyboard(page)).map((one) => `not reached by keys: ${one}`))
    const other = this.#language === 'ja' ? 'en' : 'ja'
    this.#views += 1
    const isOther = checksAll || this.#views % 2 === 1
    if (isOther) {
      await this.#speak(other)
      note(await this.#faultsOfControls(other))
      await this.#speak(this.#language)
    }
    if (!isOther || checksAll) note(await this.#faultsOfControls(this.#language))
  }

  async #speak(language: 'ja' | 'en'): Promise<void> {
    await this.#client()?.['settings.update']({ patch: { language } })
    await this.#page.waitForFunction((wanted) => document.documentElement.lang === wanted, language)
  }

  async #faultsOfControls(language: 'ja' | 'en'): Promise<string[]> {
    const controls = await controlsIn(this.#page)
    for (const { heard } of controls) this.#controls[language].add(heard)
    return [
      ...controls.filter(isUnnamed).map(({ heard }) => `${language} ${heard} without a name`),
      ...doubled(controls).map((control) => `${language} ${control} twice`),
    ]
  }

  /** Puts the names of all controls beside the test's result. */
  async tell(info: TestInfo): Promise<void> {
    for (const language of ['ja', 'en'] as const) {
      const body = [...this.#controls[language]].sort().join('\n')
      await info.attach(`controls ${language}`, { body, contentType: 'text/plain' })
    }
    process.stdout.write(`${info.title}: ${this.#controls.ja.size} + ${this.#controls.en.size} controls\n`)
  }
}

test('axe and the keyboard find nothing amiss in the views of a work', async ({
  page,
  openAppWindow,
}, info) => {
  let client: Client | undefined
  const inspection = new Inspection(page, 'ja', () => client)
  const opens: typeof openAppWindow = async (options) => {
    const opened = await openAppWindow(options)
    client = opened.client
    return opened
  }
  await walkNovel(opens, 'ja', inspection.visit)
  await inspection.tell(info)
  expect(inspection.faults).toEqual([])
})

test('axe and the keyboard find nothing amiss in the views of a session', async ({
  page,
  openRoom,
}, info) => {
  let client: Client | undefined
  const inspection = new Inspection(page, 'en', () => client)
  const opens: typeof openRoom = async (options) => {
    const opened = await openRoom(options)
    client = opened.client
    return opened
  }
  await walkSession(opens, 'en', inspection.visit)
  await inspection.tell(info)
  expect(inspection.faults).toEqual([])
})

test('axe and the keyboard find nothing amiss in the views without a work', async ({ page }, info) => {
  const host = await startHost({ args: ['--no-model'] })
  const { client, close } = await openHostClient(host.link)
  const inspection = new Inspection(page, 'en', () => client)
  await walkWelcome(page, host.link, client, 'en', inspection.visit)
  close()
  await host.stop()
  await inspection.tell(info)
  expect(inspection.faults).toEqual([])
})
