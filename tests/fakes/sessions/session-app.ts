import { join, resolve } from 'node:path'
import type { Offer } from '../../../src/main/api/app-api.ts'
import { type App, createApp } from '../../../src/main/app.ts'
import type { Clock, Deps } from '../../../src/main/deps.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import type { Disk } from '../../../src/main/platform/files/disk.ts'
import { forkWorkers } from '../../../src/main/platform/node/fork-worker.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import type { PageNetwork } from '../../../src/main/web/fetch-page.ts'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import type { ModelTimeouts } from '../../../src/shared/domain/model/model-profile.ts'
import { placeEmptyStore } from '../disks/test-store.ts'
import { seededRandom } from '../seeded-random.ts'
import { silentLog } from '../silent-log.ts'

const context: CallContext = { signal: new AbortController().signal }
const resourcesDir = resolve(import.meta.dirname, '../../../resources')

/** A model that a test serves, or the demo. */
export type TestModel =
  | { backend: 'openai'; address: string; model: string; flavour: 'llama.cpp' }
  | { backend: 'koboldcpp'; address: string }
  | { backend: 'demo'; language: 'ja' | 'en' }

/** An app with its API for windows. */
export type TestApp = App & Pick<Offer, 'api'>

/** Shape: `bugs` is what was logged as one. */
export type SessionApp = {
  app: TestApp
  bugs: unknown[]
  /** Sets the model's timeouts, shorter than usual, so that a silent model is noticed soon. */
  setTimeouts(timeouts: ModelTimeouts): Promise<void>
}

/**
 * Creates a whole app without a window, for sessions in their own folders, and uses `model`. A decision is requested
 * before each answer, as the scripts of most tests expect, unless `decideFirst` says otherwise.
 */
export async function createSessionApp(options: {
  dataDir: string
  model?: TestModel
  language?: 'ja' | 'en'
  disk?: Disk
  clock?: Clock
  decideFirst?: 'auto' | 'always'
  pageNetwork?: PageNetwork
}): Promise<SessionApp> {
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
    spawnWorker: forkWorkers({
      engine: resolve(import.meta.dirname, '../../../src/main/engine/engine-child.ts'),
    }),
    resourcesDir,
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
  return {
    app,
    bugs,
    async setTimeouts(timeouts) {
      if (used === null) throw new Error('no model was put to use')
      await app.api['profile.save']({ profile: { ...used.profile, timeouts } }, context)
    },
  }
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
