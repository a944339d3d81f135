import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import type { Client } from '../../../src/shared/contract/index.ts'
import type { DraftDetails } from '../../../src/shared/domain/drafting/draft-details.ts'
import { DraftSettings } from '../../../src/shared/domain/drafting/draft-settings.ts'
import type { ModelTimeouts } from '../../../src/shared/domain/model/model-profile.ts'
import { type FakeKobold, type FakeKoboldOptions, startFakeKobold } from '../../fakes/servers/fake-kobold.ts'
import { AppWindow } from './app-window.ts'
import { startHost, type TestHost, temporaryFolder } from './host.ts'
import { openHostClient } from './host-client.ts'

/** Registers a function that is called at the end of the test. */
type AtEnd = (ending: () => Promise<void>) => void

/** The initial state of a test. */
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
  /** Opens another window on the host. */
  link: string
  client: Client
  kobold: FakeKobold
  root: string
  /** The file that is written in, as it is on disk. */
  onDisk(path?: string): Promise<string>
  /** Ends the host, starts it anew on the same data folder and opens the window again. */
  restart(how?: 'SIGKILL'): Promise<void>
  /** Starts another server at the address of the one that died. */
  reviveKobold(): Promise<void>
  /** Keeps the server busy with a generation of another client; the returned function ends it. */
  occupyKobold(): Promise<() => Promise<void>>
  /** Bodies of the generate requests, in order. */
  generated(): { prompt: string; genkey: string; [key: string]: unknown }[]
  /** Requests so far whose path ends so. */
  requestsTo(path: string): number
}

export const page001 = '001.txt'

/** Five lines, the last one unfinished: one for the instruction, three before the answer, one for it to continue. */
export const openManuscript =
  '雨が降り始めた。\n窓の外で猫が鳴いた。\n時計は五時を打った。\n彼女は傘を手に取った。\nそして扉を開けると'

/** Starts a host on a new work and opens its window. */
export async function openAppWindow(
  page: Page,
  options: AppWindowOptions,
  atEnd: AtEnd,
): Promise<OpenAppWindow> {
  const files = options.files ?? { [page001]: openManuscript }
  const root = await newWork(files, atEnd)
  const kobold = await startKobold(options, atEnd)
  const dataDir = await temporaryFolder('data')
  atEnd(() => rm(dataDir, { recursive: true, force: true }))
  let host = await startHost({ project: root, dataDir })
  atEnd(() => host.stop())
  const { client, close } = await openHostClient(host.link)
  atEnd(async () => close())

  await prepare(client, host, kobold, root, options)
  const appWindow = new AppWindow(page)
  await appWindow.open(host.link)
  return {
    appWindow,
    host,
    get link() {
      return host.link
    },
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
    ...toolsOf(kobold, atEnd),
    onDisk: onDiskIn(root, lastPathOf(files)),
  }
}

export const onDiskIn =
  (root: string, lastPath: string) =>
  (path = lastPath): Promise<string> =>
    readFile(join(root, path), 'utf8')

/** A new folder with these files. */
export async function newWork(files: Record<string, string>, atEnd: AtEnd): Promise<string> {
  const root = await temporaryFolder('work')
  atEnd(() => rm(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return root
}

export async function startKobold(options: AppWindowOptions, atEnd: AtEnd): Promise<FakeKobold> {
  const kobold = await startFakeKobold({ contextTokens: 4096, ...options.kobold })
  atEnd(() => kobold.close())
  return kobold
}

export const lastPathOf = (files: Record<string, string>): string => Object.keys(files).at(-1) ?? page001

/** Returns the operations of a test on its server. */
export function toolsOf(kobold: FakeKobold, atEnd: AtEnd) {
  return {
    async reviveKobold() {
      const port = Number(new URL(kobold.address).port)
      const revived = await startFakeKobold({ ...kobold.options, port })
      atEnd(() => revived.close())
    },
    occupyKobold: () => occupy(kobold),
    generated: () =>
      kobold.requests
        .filter(({ path }) => path.endsWith('/generate/stream'))
        .map(({ body }) => body as { prompt: string; genkey: string }),
    requestsTo: (path: string) => kobold.requests.filter((request) => request.path.endsWith(path)).length,
  }
}

async function prepare(
  client: Client,
  host: TestHost,
  kobold: FakeKobold,
  root: string,
  options: AppWindowOptions,
): Promise<void> {
  const modelsDir = join(host.dataDir, 'models')
  await mkdir(modelsDir, { recursive: true })
  const file = await options.gguf?.(modelsDir)
  await configure(client, file ?? kobold, root, options)
}

/** Sets the settings and the work's details for a test. */
export async function configure(
  client: Client,
  model: FakeKobold | string,
  root: string,
  { drafting, details, timeouts, key, samplerPresetId }: AppWindowOptions,
): Promise<void> {
  // The answer may end: with the end token banned the fake would go on, as a model does.
  const settings = { ...DraftSettings.parse({}), banEosToken: false, ...drafting }
  await client['settings.update']({ patch: { drafting: settings } })
  const { profile } = await client['model.use'](
    typeof model === 'string'
      ? { backend: 'embedded', file: model }
      : { backend: 'koboldcpp', address: model.address },
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
