import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import type { Client } from '../../../src/shared/contract/index.ts'
import type { ModelTimeouts } from '../../../src/shared/domain/model/model-profile.ts'
import type { DraftDetails } from '../../../src/shared/domain/work/draft-details.ts'
import type { DraftSettings } from '../../../src/shared/domain/work/draft-settings.ts'
import { type FakeKobold, type FakeKoboldOptions, startFakeKobold } from '../../fakes/fake-kobold.ts'
import { AppWindow } from './app-window.ts'
import { startHost, type TestHost, temporaryFolder } from './host.ts'
import { openHostClient } from './host-client.ts'
import { test as base } from './worker-test.ts'

/** What a test begins with. */
export type AppWindowOptions = {
  /** Files of the work by path; the one that is written in is the last manuscript. */
  files?: Record<string, string>
  kobold?: FakeKoboldOptions
  key?: string
  timeouts?: Partial<ModelTimeouts>
  drafting?: Partial<DraftSettings>
  details?: Partial<DraftDetails>
  samplerPresetId?: string
  /** A model file in place of the server. */
  gguf?: (modelsDir: string) => Promise<string>
}

/** An open work in a window, its host and its model server. */
export type OpenAppWindow = {
  appWindow: AppWindow
  host: TestHost
  client: Client
  kobold: FakeKobold
  root: string
  /** The file that is written in, as it is on disk. */
  onDisk(path?: string): Promise<string>
  /** Ends the host, starts it anew on the same data folder and opens the window again. */
  restart(how?: 'SIGKILL'): Promise<void>
  /** Starts another server at the address of the one that died. */
  reviveKobold(): Promise<void>
  /** Another client writes for as long as it takes; the answer ends it. */
  occupyKobold(): Promise<() => Promise<void>>
  /** Bodies of the generate requests, in order. */
  generated(): { prompt: string; genkey: string; [key: string]: unknown }[]
  /** Requests so far whose path ends so. */
  requestsTo(path: string): number
}

export const page001 = '001.txt'

/** Five lines, the last one open: one told, three before the answer, one that the answer goes on from. */
export const openManuscript =
  '雨が降り始めた。\n窓の外で猫が鳴いた。\n時計は五時を打った。\n彼女は傘を手に取った。\nそして扉を開けると'

/** Each test has a host with a data folder of its own; an error of the page fails the test. */
export const test = base.extend<{ openAppWindow: (options?: AppWindowOptions) => Promise<OpenAppWindow> }>({
  openAppWindow: async ({ page }, use) => {
    const endings: (() => Promise<void>)[] = []
    const errors = pageErrors(page)
    await use((options = {}) => openAppWindow(page, options, (ending) => endings.push(ending)))
    // A window that outlives its host rightly complains.
    const reported = [...errors]
    for (const ending of endings.reverse()) await ending()
    expect(reported).toEqual([])
  },
})
export { expect }

/** What the page reports while a test runs. */
function pageErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return errors
}

async function openAppWindow(
  page: Page,
  options: AppWindowOptions,
  atEnd: (ending: () => Promise<void>) => void,
): Promise<OpenAppWindow> {
  const files = options.files ?? { [page001]: openManuscript }
  const root = await temporaryFolder('work')
  atEnd(() => rm(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const kobold = await startFakeKobold({
    contextTokens: 4096,
    ...options.kobold,
  })
  atEnd(() => kobold.close())
  const dataDir = await temporaryFolder('data')
  atEnd(() => rm(dataDir, { recursive: true, force: true }))
  let host = await startHost({ project: root, dataDir })
  atEnd(() => host.stop())
  const { client, close } = await openHostClient(host.link)
  atEnd(async () => close())

  await prepare(client, host, kobold, root, options)
  const appWindow = new AppWindow(page)
  await appWindow.open(host.link)
  const lastPath = Object.keys(files).at(-1) ?? page001
  return {
    appWindow,
    host,
    client,
    kobold,
    root,
    async restart(how) {
      await page.goto('about:blank')
      close()
      await (how === 'SIGKILL' ? host.kill() : host.stop())
      host = await startHost({ project: root, dataDir })
      await appWindow.open(host.link)
    },
    async reviveKobold() {
      const port = Number(new URL(kobold.address).port)
      const revived = await startFakeKobold({ ...kobold.options, port })
      atEnd(() => revived.close())
    },
    occupyKobold: () => occupy(kobold),
    onDisk: (path = lastPath) => readFile(join(root, path), 'utf8'),
    generated: () =>
      kobold.requests
        .filter(({ path }) => path.endsWith('/generate/stream'))
        .map(({ body }) => body as { prompt: string; genkey: string }),
    requestsTo: (path) => kobold.requests.filter((request) => request.path.endsWith(path)).length,
  }
}

async function prepare(
  client: Client,
  host: TestHost,
  kobold: FakeKobold,
  root: string,
  { drafting, details, timeouts, key, samplerPresetId, gguf }: AppWindowOptions,
): Promise<void> {
  // The answer may end where it ends; with the end banned the fake goes on as a model does.
  await client['settings.update']({ patch: { drafting: { banEosToken: false, ...drafting } } })
  const modelsDir = join(host.dataDir, 'models')
  await mkdir(modelsDir, { recursive: true })
  const { profile } = await client['model.use'](
    gguf
      ? { backend: 'embedded', file: await gguf(modelsDir) }
      : { backend: 'koboldcpp', address: kobold.address },
  )
  await client['profile.save']({
    profile: {
      ...profile,
      timeouts: { ...profile.timeouts, ...timeouts },
      ...(samplerPresetId === undefined ? {} : { samplerPresetId }),
    },
    ...(key === undefined ? {} : { key }),
  })
  if (details) {
    const { workId } = await client['work.open']({ path: root })
    await client['work.updateDetails']({ workId, patch: details })
  }
}

async function occupy(kobold: FakeKobold): Promise<() => Promise<void>> {
  const ask = (path: string, body: unknown) =>
    fetch(`${kobold.address}${path}`, { method: 'POST', body: JSON.stringify(body) })
  const { tokenMs } = kobold.options
  kobold.options.tokenMs = 50
  const other = ask('/api/v1/generate', {
    prompt: '別の依頼',
    max_length: 1500,
    genkey: 'other',
    ban_eos_token: true,
  })
  await expect.poll(() => kobold.current?.genkey).toBe('other')
  return async () => {
    await ask('/api/extra/abort', { genkey: 'other' })
    await other
    if (tokenMs === undefined) delete kobold.options.tokenMs
    else kobold.options.tokenMs = tokenMs
  }
}
