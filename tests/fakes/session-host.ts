import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type App, createApp } from '../../src/main/app.ts'
import type { Deps } from '../../src/main/deps.ts'
import { forkWorkers } from '../../src/main/engine/fork-worker.ts'
import { systemClock } from '../../src/main/platform/clock.ts'
import type { Disk } from '../../src/main/platform/disk.ts'
import { silentLog } from '../../src/main/platform/log.ts'
import { systemRandom } from '../../src/main/platform/random.ts'
import type { CallContext } from '../../src/shared/contract/method.ts'
import type { GateAnswerInput } from '../../src/shared/domain/gate.ts'
import type { SessionState } from '../../src/shared/domain/session.ts'
import type { SessionItem } from '../../src/shared/domain/session-item.ts'
import { createFakeLlamaServer, type FakeLlamaServer, type LlamaOptions } from './fake-llama-server.ts'
import { tempFolder } from './temp-folder.ts'

const resourcesDir = resolve(import.meta.dirname, '../../resources')
const context: CallContext = { signal: new AbortController().signal }

/** A whole app without a window, over a folder of its own and a model that the test speaks for. */
export type SessionHost = {
  app: App
  /** The folder that the session works in. */
  root: string
  workId: string
  sessionId: string
  llama: FakeLlamaServer
  /** What was logged as a bug. */
  bugs: unknown[]
  say(text: string, how?: 'send' | 'steer' | 'beside'): Promise<string>
  items(): Promise<SessionItem[]>
  state(): Promise<SessionState>
  /** Waits until nothing goes on by itself. */
  rest(): Promise<SessionState>
  /** The front gate of the conversation. */
  gate(): Promise<Extract<SessionItem, { kind: 'gate' }> | undefined>
  answer(verdict: 'approve' | 'refuse', change?: Partial<GateAnswerInput>): Promise<void>
  /** Says yes to every gate until the session rests. */
  approveAll(): Promise<SessionState>
  read(path: string): string
  close(): Promise<void>
  /** A new host over the same data. */
  restart(): Promise<SessionHost>
}

export type SessionHostOptions = {
  answer: NonNullable<LlamaOptions['answer']>
  files?: Record<string, string>
  isTrusted?: boolean
  llama?: Omit<LlamaOptions, 'answer'>
  disk?: Disk
  language?: 'ja' | 'en'
}

export async function createSessionHost(options: SessionHostOptions): Promise<SessionHost> {
  const root = tempFolder()
  for (const [path, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const llama = await createFakeLlamaServer({
    contextTokens: 32_768,
    slots: 1,
    template: 'tools',
    ...options.llama,
    answer: options.answer,
  })
  return start(options, { root, dataDir: tempFolder(), llama, sessionId: null })
}

async function start(
  options: SessionHostOptions,
  place: { root: string; dataDir: string; llama: FakeLlamaServer; sessionId: string | null },
): Promise<SessionHost> {
  const { root, dataDir, llama } = place
  const bugs: unknown[] = []
  const deps: Deps = {
    clock: systemClock,
    random: systemRandom,
    log: {
      ...silentLog,
      bug(error, where) {
        bugs.push(`${where}: ${error instanceof Error ? error.stack : String(error)}`)
        return 'bug'
      },
    },
    fetch: globalThis.fetch,
    shell: { kind: 'web', reveal: async () => false, secrets: noSecrets() },
    spawnWorker: forkWorkers({
      engine: resolve(import.meta.dirname, '../../src/main/engine/engine-child.ts'),
    }),
    resourcesDir,
    dataDir,
    locale: options.language ?? 'en',
    hostId: systemRandom.id(),
  }
  const app = await createApp(deps, {
    version: 'test',
    openPath: null,
    ...(options.disk === undefined ? {} : { disk: options.disk }),
  })
  const { api } = app
  if (place.sessionId === null)
    await api['model.use'](
      { backend: 'openai', address: llama.address, model: 'fake', flavour: 'llama.cpp' },
      context,
    )
  const { workId } = await api['work.open']({ path: root }, context)
  if (options.isTrusted !== false) await api['trust.set']({ workId, isTrusted: true }, context)
  const sessionId = place.sessionId ?? (await api['session.create']({ workId }, context)).session.sessionId

  const snapshot = async (): Promise<{ state: SessionState; items: SessionItem[] }> => {
    const end = new AbortController()
    try {
      for await (const event of api['session.watch']({ sessionId }, { signal: end.signal })) {
        if (event.type === 'snapshot') return event
      }
    } finally {
      end.abort()
    }
    throw new Error('a session without a snapshot')
  }
  const isResting = ({ position, activity }: SessionState): boolean =>
    activity === null &&
    (position.status !== 'IN_PROGRESS' || position.waiting === 'none' || position.waiting === 'gate')
  const host: SessionHost = {
    app,
    root,
    workId,
    sessionId,
    llama,
    bugs,
    async say(text, how = 'send') {
      const segments = [{ kind: 'text' as const, text }]
      return (await api['session.send']({ sessionId, segments, how, gate: null }, context)).became
    },
    items: async () => (await snapshot()).items,
    state: async () => (await snapshot()).state,
    async rest() {
      for (;;) {
        const { state } = await snapshot()
        if (
          isResting(state) &&
          !(state.position.status === 'IN_PROGRESS' && state.position.waiting === 'gate')
        )
          return state
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async gate() {
      const { state, items } = await snapshot()
      const [front] = state.openGates
      return items.find(
        (item): item is Extract<SessionItem, { kind: 'gate' }> =>
          item.kind === 'gate' && item.gate.gateId === front,
      )
    },
    async answer(verdict, change = {}) {
      const item = await host.gate()
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
        const state = await host.rest()
        if (state.openGates.length === 0) return state
        await host.answer('approve')
      }
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    async close() {
      await app.close()
      await llama.close()
    },
    async restart() {
      await app.close()
      return start(options, { ...place, sessionId })
    },
  }
  return host
}

function noSecrets(): Deps['shell']['secrets'] {
  const secrets = new Map<string, string>()
  return {
    isEncrypted: false,
    get: async (name) => secrets.get(name),
    set: async (name, value) => void secrets.set(name, value),
    remove: async (name) => void secrets.delete(name),
  }
}
