import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import type { Client } from '../../../src/shared/contract/index.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import type { FakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'
import { servedModel, startSessionLlama } from '../../fakes/servers/session-llama.ts'
import { startHost, type TestHost, temporaryFolder } from '../support/host.ts'
import { openHostClient } from '../support/host-client.ts'
import { writeFiles } from '../support/open-room.ts'
import { type RandomMind, randomMind } from './random-mind.ts'
import { installReader } from './window-view.ts'

const files = {
  'note.txt': '一行目\n二行目\n三行目\n',
  '章/一.md': '# 一\n\n二行目\n',
  'src/a.ts': 'export const a = 1\n',
  '.env': 'TOKEN=himitsu-1\n',
  '.gitignore': 'node_modules\n',
}

/** A host, a model, two folders and windows on them, and a record of the user's actions that could change files. */
export type SoakStage = {
  page: Page
  /** A second window, while there is one. */
  other: Page | null
  readonly context: BrowserContext
  readonly client: Client
  readonly host: TestHost
  readonly llama: FakeLlamaServer
  readonly mind: RandomMind
  readonly root: string
  readonly otherRoot: string
  workId: string
  /** Errors that any window reported. */
  complaints: string[]
  /** From now on the model's changes need no approval. */
  isFreehand: boolean
  writes: number
  texts(): Promise<Map<string, string>>
  logged(): Promise<string[]>
  openWindow(page: Page): Promise<void>
  newWindow(): Promise<Page>
  restart(): Promise<void>
  /** Kills the host and starts another one at its address: the windows stay and get its link. */
  restartInPlace(): Promise<void>
  end(): Promise<void>
}

export async function openStage(browser: Browser, seed: number): Promise<SoakStage> {
  const root = await temporaryFolder('soak')
  const otherRoot = await temporaryFolder('soak-other')
  const home = await temporaryFolder('home')
  const dataDir = await temporaryFolder('data')
  await writeFiles(root, files)
  await writeFile(join(otherRoot, '別.txt'), '別の作品。\n')
  const mind = randomMind(seededRandom(seed * 7 + 1))
  const llama = await startSessionLlama({
    contextTokens: 16_384,
    tokenMs: seed % 3 === 0 ? 3 : 0,
    answer: (request) => mind.answer(request),
  })
  const env = { HOME: home, XDG_DATA_HOME: home }
  const start = (...args: string[]) =>
    startHost({ project: root, dataDir, args: ['--no-model', ...args], env })
  let host = await start()
  let connection = await openHostClient(host.link)
  await connection.client['model.use'](servedModel(llama.address))
  await connection.client['settings.update']({ patch: { decideFirst: seed % 2 === 0 ? 'auto' : 'always' } })
  const { workId } = await connection.client['work.open']({ path: root })
  await connection.client['trust.set']({ workId, isTrusted: seed % 5 !== 4 })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'ja-JP' })
  await installReader(context)
  const complaints: string[] = []
  const listen = (page: Page) => {
    page.on('pageerror', (error) => complaints.push(`page: ${error.stack ?? error.message}`))
    page.on('console', (message) => {
      const text = message.text()
      // Errors of a window that outlives its host are expected.
      const isOfHost = /WebSocket|ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED/.test(text)
      if (message.type() === 'error' && !isOfHost) complaints.push(`console: ${text}`)
    })
  }
  const newPage = async () => {
    const page = await context.newPage()
    page.setDefaultTimeout(5_000)
    page.setDefaultNavigationTimeout(60_000)
    listen(page)
    return page
  }

  const renew = async (...args: string[]) => {
    connection.close()
    await host.kill()
    host = await start(...args)
    connection = await openHostClient(host.link)
    stage.workId = (await connection.client['work.open']({ path: root })).workId
  }

  const stage: SoakStage = {
    page: await newPage(),
    other: null,
    context,
    get client() {
      return connection.client
    },
    get host() {
      return host
    },
    llama,
    mind,
    root,
    otherRoot,
    workId,
    complaints,
    isFreehand: false,
    writes: 0,
    texts: () => readTexts(root),
    logged: () => readBugs(dataDir),
    async openWindow(page) {
      await page.goto(host.link)
      await page.locator('.app-body:not(.app-connecting)').waitFor({ timeout: 60_000 })
    },
    async newWindow() {
      const page = await newPage()
      await stage.openWindow(page)
      return page
    },
    async restartInPlace() {
      const { port } = new URL(host.link)
      await renew('--port', port)
      const { hash } = new URL(host.link)
      for (const page of [stage.page, stage.other])
        await page?.evaluate((next) => {
          location.hash = next
        }, hash)
    },
    async restart() {
      await renew()
      for (const page of [stage.page, stage.other]) if (page) await stage.openWindow(page)
    },
    async end() {
      await context.close()
      connection.close()
      await host.stop()
      await llama.close()
      for (const folder of [root, otherRoot, home, dataDir])
        await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
  await stage.openWindow(stage.page)
  await stage.page
    .locator('.header .segmented')
    .last()
    .getByText(/^(セッション|Session)$/)
    .click({ timeout: 30_000 })
  await stage.page.locator('.message-box').waitFor({ timeout: 30_000 })
  return stage
}

export async function readTexts(root: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || path.includes('.tsugi')) continue
    const text = await readFile(path, 'utf8').catch(() => null)
    if (text !== null) texts.set(path.slice(root.length + 1), text)
  }
  return texts
}

/** Lines of the log that a host writes when something happened that never should. */
export async function readBugs(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'logs')
  const names = await readdir(folder).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts
    .join('\n')
    .split('\n')
    .filter((line) => /"event":"(bug|[^"]*unhandled[^"]*|[^"]*uncaught[^"]*)"/.test(line))
}
