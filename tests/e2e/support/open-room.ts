import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Client } from '../../../src/shared/contract/index.ts'
import { AppSettings } from '../../../src/shared/domain/app/app-settings.ts'
import type { AgentMode } from '../../../src/shared/domain/session/agent-step.ts'
import type { SessionState } from '../../../src/shared/domain/session/session.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import type { FakeLlamaServer, LlamaOptions } from '../../fakes/servers/fake-llama-server.ts'
import type { Answer } from '../../fakes/servers/llama/answer.ts'
import { servedModel, startSessionLlama } from '../../fakes/servers/session-llama.ts'
import { scriptedMind, type Thought } from '../../fakes/sessions/scripted-mind.ts'
import { startHost, type TestHost, temporaryFolder } from './host.ts'
import { openHostClient } from './host-client.ts'
import { Room } from './room.ts'

/** The initial state of a test: a folder, and the model's answers, request by request. */
export type RoomOptions = {
  files?: Record<string, string | Uint8Array>
  thoughts?: Thought[]
  llama?: Omit<LlamaOptions, 'answer'>
  isTrusted?: boolean
  mode?: AgentMode
  /** Plays the direct path: the model's answers are calls and text, without separate decisions. */
  isDirect?: boolean
  /** Of the window; without one Japanese. */
  language?: 'ja' | 'en'
  /** The folder of the work, which is then not removed; without one a new folder. */
  root?: string
  /** As `startHost` has it. */
  under?: readonly string[]
  /** What the model suggests, prediction by prediction. Without it suggestions are off, and nothing is asked for them. */
  suggestions?: (string | Answer)[]
}

/** A session in a window, its host and its model server. */
export type OpenRoom = {
  room: Room
  mind: ReturnType<typeof scriptedMind>
  llama: FakeLlamaServer
  client: Client
  host: TestHost
  /** Opens another window on the host. */
  link: string
  root: string
  workId: string
  /** Of the model server. */
  profileId: string
  /** Null where there is no such file (yet): a poll goes on. */
  onDisk(path: string): Promise<string | null>
  isOnDisk(path: string): boolean
  /** The only session, as the host has it. */
  session(): Promise<{ state: SessionState; items: SessionItem[] }>
  /** What the model was asked last: the conversation, without the tools. */
  asked(): string
  /** Holds the model's answers back until the returned function is called. */
  holdModel(): () => void
  /** Ends the host, starts it anew on the same data and opens the window again. */
  restart(how?: 'SIGKILL'): Promise<void>
}

/** Starts a host on a new folder and opens its window. */
export async function openRoom(
  page: Page,
  options: RoomOptions,
  atEnd: (ending: () => Promise<void>) => void,
): Promise<OpenRoom> {
  const root = options.root ?? (await temporaryFolder('room'))
  if (options.root === undefined) atEnd(() => rm(root, { recursive: true, force: true }))
  await writeFiles(root, options.files)
  const language = options.language ?? 'ja'
  const mind = scriptedMind(...(options.thoughts ?? []))
  mind.suggest(...(options.suggestions ?? []))
  const llama = await startSessionLlama({ ...options.llama, answer: mind.answer })
  atEnd(() => llama.close())
  const dataDir = await temporaryFolder('data')
  atEnd(() => rm(dataDir, { recursive: true, force: true }))
  const start = {
    project: root,
    dataDir,
    args: ['--no-model', '--lang', language],
    under: options.under ?? [],
  }
  let host = await startHost(start)
  atEnd(() => host.stop())
  let connection = await openHostClient(host.link)
  atEnd(async () => connection.close())
  const { profile } = await connection.client['model.use'](servedModel(llama.address))
  await connection.client['settings.update']({ patch: settingsOf(options) })
  const { workId } = await connection.client['work.open']({ path: root })
  if (options.isTrusted !== false) await connection.client['trust.set']({ workId, isTrusted: true })
  const room = new Room(page, language)
  await room.open(host.link)
  const opened: OpenRoom = {
    room,
    mind,
    llama,
    get client() {
      return connection.client
    },
    get host() {
      return host
    },
    get link() {
      return host.link
    },
    root,
    workId,
    profileId: profile.id,
    onDisk: (path) => readFile(join(root, path), 'utf8').catch(() => null),
    isOnDisk: (path) => existsSync(join(root, path)),
    async session() {
      const { client } = connection
      for await (const { sessions } of client['session.watchList']({ workId })) {
        const [only] = sessions
        if (only === undefined) throw new Error('no session yet')
        for await (const event of client['session.watch']({ sessionId: only.sessionId }))
          if (event.type === 'snapshot') return event
      }
      throw new Error('the host has gone')
    },
    asked() {
      const body = llama.requests.findLast(({ path }) => path.endsWith('/chat/completions'))?.body
      return JSON.stringify((body as { messages?: unknown } | undefined)?.messages ?? null)
    },
    holdModel: () => holdModel(llama, mind),
    async restart(how) {
      await page.goto('about:blank')
      connection.close()
      await (how === 'SIGKILL' ? host.kill() : host.stop())
      host = await startHost(start)
      connection = await openHostClient(host.link)
      await room.open(host.link)
    },
  }
  if (options.mode !== undefined) await beginIn(opened, options.mode)
  return opened
}

/** The settings of a new host, except for its models. */
export const freshSettings = AppSettings.omit({ mainProfileId: true, fastProfileId: true }).parse({})

/** Returns the settings that a test's options choose. */
export function settingsOf({ suggestions, isDirect }: Pick<RoomOptions, 'suggestions' | 'isDirect'>) {
  return {
    enableFollowupSuggestions: suggestions !== undefined,
    // The scripts of most tests decide before they answer.
    decideFirst: isDirect === true ? 'auto' : 'always',
  } as const
}

/** Holds the model's answers back until the returned function is called. */
export function holdModel(llama: FakeLlamaServer, mind: OpenRoom['mind']): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  llama.options.answer = async (request) => {
    await promise
    return mind.answer(request)
  }
  return () => {
    llama.options.answer = mind.answer
    resolve()
  }
}

/** Begins a session, in a mode where one is named, and shows it. */
export async function beginIn({ client, workId, room }: OpenRoom, mode?: AgentMode): Promise<void> {
  const { session } = await client['session.create']({ workId })
  if (mode !== undefined) await client['session.setMode']({ sessionId: session.sessionId, mode })
  await room.page
    .getByText(/無題のセッション|Untitled session/)
    .first()
    .click()
}

export async function writeFiles(root: string, files: RoomOptions['files'] = {}): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

/** Closes the dialogs and toasts with which a test may end. */
export async function closeLayers(page: Page): Promise<void> {
  const dialogs = page.getByRole('dialog')
  for (let pressed = 0; pressed < 3 && (await dialogs.count()) > 0; pressed += 1)
    await page.keyboard.press('Escape')
  await page.locator('.toast > button:last-child').evaluateAll((all) => {
    for (const button of all) (button as HTMLElement).click()
  })
}

/** Collects the errors that a page reports from now on. */
export function pageErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return errors
}
