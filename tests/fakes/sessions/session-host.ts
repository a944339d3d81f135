import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Offer } from '../../../src/main/api/app-api.ts'
import { createApp } from '../../../src/main/app.ts'
import type { Clock, Deps } from '../../../src/main/deps.ts'
import type { App } from '../../../src/main/lifecycle/running-app.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import type { Disk } from '../../../src/main/platform/files/disk.ts'
import { forkWorkers } from '../../../src/main/platform/node/fork-worker.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import type { PageNetwork } from '../../../src/main/web/fetch-page.ts'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import type { ModelTimeouts } from '../../../src/shared/domain/model/model-profile.ts'
import type { GateAnswerInput } from '../../../src/shared/domain/session/gate.ts'
import type { SessionEvent, SessionState } from '../../../src/shared/domain/session/session.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { placeEmptyStore } from '../disks/test-store.ts'
import { seededRandom } from '../seeded-random.ts'
import type { FakeLlamaServer, LlamaOptions } from '../servers/fake-llama-server.ts'
import type { Answer, AskedRequest } from '../servers/llama/answer.ts'
import { servedModel, startSessionLlama } from '../servers/session-llama.ts'
import { silentLog } from '../silent-log.ts'
import { scriptedMind, type Thought } from './scripted-mind.ts'

const context: CallContext = { signal: new AbortController().signal }
const project = resolve(import.meta.dirname, '../../..')

/** A model that a test serves, or the demo. */
type TestModel =
  | { backend: 'openai'; address: string; model: string; flavour: 'llama.cpp' }
  | { backend: 'koboldcpp'; address: string }
  | { backend: 'demo'; language: 'ja' | 'en' }

type AppOptions = {
  model?: TestModel | undefined
  language?: 'ja' | 'en' | undefined
  disk?: Disk | undefined
  clock?: Clock | undefined
  /** A decision is requested before each answer, as the scripts of most tests expect, unless this says otherwise. */
  decideFirst?: 'auto' | 'always' | undefined
  pageNetwork?: PageNetwork | undefined
}

/** Where a session works. `files` are written first; `sessionId` names a session to go on with. */
type SessionPlace = {
  root: string
  files?: Readonly<Record<string, string | Uint8Array>> | undefined
  sessionId?: string | null | undefined
  isTrusted?: boolean | undefined
}

/** A whole app without a window. Shape: `bugs` is what was logged as one. */
export type TestApp = {
  app: App & Pick<Offer, 'api'>
  bugs: unknown[]
  /** Sets the model's timeouts, shorter than usual, so that a silent model is noticed soon. */
  setTimeouts(timeouts: ModelTimeouts): Promise<void>
  /** Begins a session in a folder, or goes on with one. */
  open(place: SessionPlace): Promise<SessionPlayer>
}

/** Creates an app and chooses its model, where one is given. */
export async function openTestApp(options: AppOptions & { dataDir: string }): Promise<TestApp> {
  const bugs: unknown[] = []
  const deps: Deps = {
    clock: options.clock ?? systemClock,
    // The same in each run, so that a model that answers by its seed does.
    random: { ...systemRandom, next: seededRandom(1) },
    log: {
      ...silentLog,
      bug(error, where) {
        bugs.push(`${where}: ${error instanceof Error ? error.stack : String(error)}`)
        return 'bug'
      },
    },
    fetch: globalThis.fetch,
    pageNetwork: options.pageNetwork,
    shell: { kind: 'web', reveal: async () => false, secrets: noSecrets() },
    spawnWorker: forkWorkers({ engine: join(project, 'src/main/engine/engine-child.ts') }),
    resourcesDir: join(project, 'resources'),
    dataDir: options.dataDir,
    locale: options.language ?? 'en',
    hostId: systemRandom.id(),
  }
  placeEmptyStore(join(options.dataDir, 'tsugi.db'))
  const services = await createApp(deps, {
    version: 'test',
    openPath: null,
    ...(options.disk === undefined ? {} : { disk: options.disk }),
  })
  const app = { ...services, api: (await services.load()).api }
  const { decideFirst = 'always' } = options
  await app.api['settings.update']({ patch: { decideFirst } }, context)
  const used = options.model === undefined ? null : await app.api['model.use'](options.model, context)
  const opened: TestApp = {
    app,
    bugs,
    async setTimeouts(timeouts) {
      if (used === null) throw new Error('no model was put to use')
      await app.api['profile.save']({ profile: { ...used.profile, timeouts } }, context)
    },
    open: (place) => playSession(opened, place),
  }
  return opened
}

function noSecrets(): Deps['shell']['secrets'] {
  const secrets = new Map<string, string>()
  return {
    isEncrypted: async () => false,
    get: async (name) => secrets.get(name),
    set: async (name, value) => void secrets.set(name, value),
    remove: async (name) => void secrets.delete(name),
  }
}

/** Created once: the stack trace of a new error for each watch costs more than the watch. */
const over = new Error('the watch is over')

type GateItem = Extract<SessionItem, { kind: 'gate' }>

/** One session of an app, and the actions of its user. */
export type SessionPlayer = TestApp & {
  /** The folder that the session works in. */
  root: string
  workId: string
  sessionId: string
  say(text: string, how?: 'send' | 'steer' | 'beside'): Promise<string>
  items(): Promise<SessionItem[]>
  state(): Promise<SessionState>
  /** Waits until the session does nothing more by itself. */
  rest(): Promise<SessionState>
  stop(): Promise<void>
  /** The front gate of the conversation. */
  gate(): Promise<GateItem | undefined>
  answer(verdict: 'approve' | 'refuse', change?: Partial<GateAnswerInput>): Promise<void>
  /** Approves every gate until the session rests. */
  approveAll(): Promise<SessionState>
  read(path: string): string
}

async function playSession(opened: TestApp, place: SessionPlace): Promise<SessionPlayer> {
  const { api } = opened.app
  const { root, files = {} } = place
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const { workId } = await api['work.open']({ path: root }, context)
  if (place.isTrusted !== false) await api['trust.set']({ workId, isTrusted: true }, context)
  const sessionId = place.sessionId ?? (await api['session.create']({ workId }, context)).session.sessionId

  /** Waits for the first event for which `pick` returns a value. */
  const watched = async <T>(pick: (event: SessionEvent) => T | undefined): Promise<T> => {
    const end = new AbortController()
    try {
      for await (const event of api['session.watch']({ sessionId }, { signal: end.signal })) {
        const found = pick(event)
        if (found !== undefined) return found
      }
    } finally {
      end.abort(over)
    }
    throw new Error('the session told nothing more')
  }
  const snapshot = () => watched((event) => (event.type === 'snapshot' ? event : undefined))
  const player: SessionPlayer = {
    ...opened,
    root,
    workId,
    sessionId,
    async say(text, how = 'send') {
      const segments = [{ kind: 'text' as const, text }]
      return (await api['session.send']({ sessionId, segments, how, gate: null }, context)).became
    },
    items: async () => (await snapshot()).items,
    state: async () => (await snapshot()).state,
    async rest() {
      for (;;) {
        const { state } = await snapshot()
        if (isResting(state)) return state
        await watched((event) => ('state' in event && isResting(event.state) ? true : undefined))
        // The session may continue at once: then it does not rest yet.
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async stop() {
      await api['session.stop']({ sessionId }, context)
    },
    async gate() {
      const { state, items } = await snapshot()
      const [front] = state.openGates
      return items.find((item): item is GateItem => item.kind === 'gate' && item.gate.gateId === front)
    },
    async answer(verdict, change = {}) {
      const item = await player.gate()
      if (item === undefined) throw new Error('no gate is open')
      const answers = item.gate.calls.map(({ callId, hash }) => ({
        callId,
        shownHash: hash,
        isApproved: verdict === 'approve',
        refusedHunks: [],
      }))
      const answer: GateAnswerInput = {
        gateId: item.gate.gateId,
        sincePaintedMs: 1000,
        verdict,
        answers,
        reason: null,
        remember: null,
        ...change,
      }
      await api['gate.answer']({ sessionId, answer }, context)
    },
    async approveAll() {
      for (;;) {
        const state = await player.rest()
        if (state.openGates.length === 0) return state
        await player.answer('approve')
      }
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
  }
  return player
}

function isResting({ position, activity }: SessionState): boolean {
  return activity === null && (position.status !== 'IN_PROGRESS' || position.waiting === 'none')
}

export type SessionHostOptions = Omit<AppOptions, 'model'> & {
  /** Answers of the model, request by request. */
  thoughts?: readonly Thought[]
  /** Answers in place of `thoughts`, where it returns an answer. */
  answer?: (request: AskedRequest) => Answer | Promise<Answer> | undefined
  files?: Record<string, string | Uint8Array>
  isTrusted?: boolean | undefined
  llama?: Omit<LlamaOptions, 'answer'>
  /** Where the session works, and the app's data: folders of the test's own, else new ones. */
  root?: string
  dataDir?: string
}

/** A session in an app of its own, with a llama.cpp server whose answers the test gives. */
export type SessionHost = SessionPlayer & {
  mind: ReturnType<typeof scriptedMind>
  llama: FakeLlamaServer
  close(): Promise<void>
  /** A new host over the same data; `meanwhile` runs while there is none. */
  restart(meanwhile?: () => void): Promise<SessionHost>
}

/** Opens a host whose model gives these answers; it is closed at the end of the test. */
export async function scriptedHost(
  thoughts: readonly Thought[],
  options: Omit<SessionHostOptions, 'thoughts'> = {},
): Promise<SessionHost> {
  const opened = await openSessionHost({ ...options, thoughts })
  onTestFinished(() => opened.close())
  return opened
}

/** As `scriptedHost`, for a program or for a host that outlives a test: the caller closes it. */
export async function openSessionHost(options: SessionHostOptions): Promise<SessionHost> {
  const { answer, root = tempFolder(), dataDir = tempFolder() } = options
  const mind = scriptedMind(...(options.thoughts ?? []))
  const llama = await startSessionLlama({
    ...options.llama,
    answer: (request) => answer?.(request) ?? mind.answer(request),
  })
  return startHost(options, { root, dataDir, mind, llama })
}

async function startHost(
  { files, isTrusted, ...options }: SessionHostOptions,
  place: Required<Pick<SessionHostOptions, 'root' | 'dataDir'>> & Pick<SessionHost, 'mind' | 'llama'>,
  sessionId?: string,
): Promise<SessionHost> {
  const { root, dataDir, mind, llama } = place
  const model = servedModel(llama.address)
  const isNew = sessionId === undefined
  const opened = await openTestApp({ ...options, dataDir, model: isNew ? model : undefined })
  const player = await opened.open({ root, sessionId, files: isNew ? files : undefined, isTrusted })
  let isOpen = true
  const end = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await opened.app.close()
  }
  return {
    ...player,
    mind,
    llama,
    async close() {
      await end()
      await llama.close()
    },
    async restart(meanwhile) {
      await end()
      meanwhile?.()
      return startHost({ isTrusted, ...options }, place, player.sessionId)
    },
  }
}
