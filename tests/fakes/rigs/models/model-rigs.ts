import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EngineProcess } from '../../../../src/main/engine/engine-process.ts'
import type { ModelClient, ToolCall } from '../../../../src/main/models/client/model-client.ts'
import { controlStringsOf } from '../../../../src/main/models/completion/break-control-strings.ts'
import { RequestQueue } from '../../../../src/main/models/completion/request-queue.ts'
import { createDemoClient, loadDemoScripts } from '../../../../src/main/models/demo/demo-client.ts'
import { ownApis } from '../../../../src/main/models/discovery/own-apis.ts'
import { createEmbeddedClient } from '../../../../src/main/models/embedded/embedded-client.ts'
import { createOpenaiClient } from '../../../../src/main/models/openai/openai-client.ts'
import { systemClock } from '../../../../src/main/platform/clock.ts'
import { forkWorkers } from '../../../../src/main/platform/node/fork-worker.ts'
import { OpenaiFlavour } from '../../../../src/shared/domain/model/model-profile.ts'
import { patientTimeouts } from '../../patient-timeouts.ts'
import { createFakeLlamaServer } from '../../servers/fake-llama-server.ts'
import { flavourServers } from '../../servers/usual-servers.ts'
import { silentLog as log } from '../../silent-log.ts'
import { writeTinyGguf } from '../../tiny-gguf.ts'
import { templatePack } from '../fake-draft.ts'
import { exampleRig, ownRig } from './own-rig.ts'

/** A backend with its client, and the operations of a test on the backend itself. */
export type ModelRig = {
  client: ModelClient
  /** False: the backend takes no schema. Absent: it obeys one. */
  canConstrain?: boolean
  /** The model answers chats with this call from now on. Absent: it cannot call tools. */
  sayCall?: (call: Omit<ToolCall, 'id'>) => void
  /** Returns whether the backend has stopped generating. */
  isIdle(): boolean
  /** Kills the backend as in reality. */
  die(): void
  close(): Promise<void>
}

const clock = systemClock
const template = templatePack('chatml')
const controls = controlStringsOf([template])
const contextTokens = 2_048
const tokenMs = 4
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const common = { timeouts: patientTimeouts, contextTokens: undefined, controls, key: async () => undefined }

function llama(flavour: OpenaiFlavour, hasTools: boolean) {
  return async (): Promise<ModelRig> => {
    const fake = await createFakeLlamaServer({
      contextTokens,
      tokenMs,
      template: hasTools ? 'tools' : 'no-tools',
      ownRoutes: flavourServers[flavour].ownRoutes,
    })
    const client = createOpenaiClient(
      { clock, queue: new RequestQueue() },
      // The result of a trial, for a server that reports nothing about tools.
      { ...common, address: fake.address, model: 'smol.gguf', flavour, canCallTools: hasTools },
    )
    return {
      client,
      ...(hasTools && {
        sayCall: (call) => {
          fake.options.answer = () => ({ toolCalls: [call] })
        },
      }),
      isIdle: () => fake.pendingCount === 0,
      die: fake.die,
      close: () => Promise.all([client.dispose(), fake.close()]).then(() => undefined),
    }
  }
}

async function embedded(): Promise<ModelRig> {
  const folder = mkdtempSync(join(tmpdir(), 'tsugi-models-'))
  const file = join(folder, 'tiny.gguf')
  writeTinyGguf(file, { seed: 7, contextTokens })
  const entry = join(root, 'src/main/engine/engine-child.ts')
  const spawnWorker = forkWorkers({ engine: entry })
  const engine = new EngineProcess({ spawnWorker, clock, log }, { file, contextTokens })
  const client = createEmbeddedClient({ clock, engine }, { template, contextTokens })
  return {
    client,
    isIdle: () => true,
    die: () => process.kill(engine.pid ?? 0, 'SIGKILL'),
    async close() {
      await client.dispose()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function demo(): Promise<ModelRig> {
  const { en } = await loadDemoScripts(join(root, 'resources'))
  const scripts = { ja: en, en }
  const client = createDemoClient({ clock }, { scripts, language: 'en', template, contextTokens, tokenMs })
  return { client, isIdle: () => true, die: () => undefined, close: () => client.dispose() }
}

/** Every backend with an API of its own and every flavour of OpenAI's, so that a new one is tested at once. */
const owns = Object.fromEntries(
  Object.keys(ownApis).map((name) => [name, () => ownRig(name as keyof typeof ownApis)]),
)
const flavours = Object.fromEntries(
  OpenaiFlavour.options.map((flavour) => [`a server of OpenAI’s API, ${flavour}`, llama(flavour, true)]),
)

/** Every backend, each against its fake or a tiny model. */
export const modelRigs: Record<string, () => Promise<ModelRig>> = {
  ...owns,
  'the example of CONTRIBUTING.md': exampleRig,
  'llama-server without tools': llama('llama.cpp', false),
  ...flavours,
  'the embedded engine': embedded,
  'the demo': demo,
}
