import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Deps, SpawnWorker, Worker } from '../../../../src/main/deps.ts'
import { EngineProcess } from '../../../../src/main/engine/engine-process.ts'
import { createModels } from '../../../../src/main/models/create-models.ts'
import type { ModelService } from '../../../../src/main/models/model-service.ts'
import { systemClock } from '../../../../src/main/platform/clock.ts'
import { systemRandom } from '../../../../src/main/platform/random.ts'
import { AppSettings } from '../../../../src/shared/domain/app/app-settings.ts'
import type { ModelProfile } from '../../../../src/shared/domain/model/model-profile.ts'
import { startEngineHere } from './engine-here.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

export type ModelHost = {
  models: ModelService
  /** What the secret store holds. */
  secrets: Map<string, string>
  /** Every engine that was started. */
  engines: Worker[]
}

/** The whole model service over a data folder, with everything that it keeps in memory. */
export async function openModelHost(
  dataDir: string,
  addresses: readonly string[],
  profiles = new Map<string, ModelProfile>(),
  spawnWorker: SpawnWorker = startEngineHere,
): Promise<ModelHost> {
  const secrets = new Map<string, string>()
  const presets = new Map<string, unknown>()
  const engines: Worker[] = []
  let settings = AppSettings.parse({})
  const deps: Deps = {
    clock: systemClock,
    random: systemRandom,
    log: { write: () => undefined, bug: () => 'x' },
    fetch,
    shell: {
      kind: 'web',
      reveal: async () => false,
      secrets: {
        isEncrypted: async () => false,
        get: async (name) => secrets.get(name),
        set: async (name, value) => void secrets.set(name, value),
        remove: async (name) => void secrets.delete(name),
      },
    },
    spawnWorker(entry, options) {
      const worker = spawnWorker(entry, options)
      engines.push(worker)
      return worker
    },
    resourcesDir: join(root, 'resources'),
    dataDir,
    locale: 'ja',
    hostId: 'test',
  }
  const models = await createModels({
    deps,
    settings: {
      get: () => settings,
      update: (patch) => {
        settings = AppSettings.parse({ ...settings, ...patch })
        return settings
      },
    },
    profiles: {
      list: () => [...profiles.values()],
      get: (id) => profiles.get(id),
      save: (profile) => void profiles.set(profile.id, profile),
      remove: (id) => void profiles.delete(id),
    },
    store: { get: (key) => presets.get(key), set: (key, value) => void presets.set(key, value) },
    createEngine: async (options) => new EngineProcess(deps, options),
    addresses,
  })
  return { models, secrets, engines }
}
