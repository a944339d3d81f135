import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Deps, Worker } from '../../src/main/deps.ts'
import { forkWorkers } from '../../src/main/engine/fork-worker.ts'
import { createModels } from '../../src/main/models/create-models.ts'
import { plainPrompt } from '../../src/main/models/model-client.ts'
import type { ModelService } from '../../src/main/models/model-service.ts'
import { systemClock } from '../../src/main/platform/clock.ts'
import { systemRandom } from '../../src/main/platform/random.ts'
import { AppSettings } from '../../src/shared/domain/app-settings.ts'
import type { ModelProfile } from '../../src/shared/domain/model-profile.ts'
import { type FakeKobold, startFakeKobold } from '../fakes/fake-kobold.ts'
import { writeTinyGguf } from '../fakes/tiny-gguf.ts'

vi.setConfig({ testTimeout: 60_000 })
const root = fileURLToPath(new URL('../..', import.meta.url))
const never = new AbortController().signal

let folder = ''
let fake: FakeKobold
const opened: ModelService[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tsugi-models-'))
  mkdirSync(join(folder, 'models', 'someone', 'deep'), { recursive: true })
  writeTinyGguf(join(folder, 'models', 'neko.gguf'), { name: '猫', says: '吾輩は猫である' })
  copyFileSync(join(folder, 'models', 'neko.gguf'), join(folder, 'models', 'someone', 'deep', 'second.gguf'))
  copyFileSync(join(folder, 'models', 'neko.gguf'), join(folder, 'models', 'big-00002-of-00003.gguf'))
  writeFileSync(join(folder, 'models', 'broken.gguf'), 'GGUF but not really')
  writeFileSync(join(folder, 'models', 'notes.txt'), 'no model')
  fake = await startFakeKobold({ contextTokens: 4096, modelName: 'story-12b' })
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((models) => models.dispose()))
})
afterAll(async () => {
  await fake.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(addresses = [fake.address], onWorker: (worker: Worker) => void = () => undefined) {
  const fork = forkWorkers({ engine: join(root, 'src/main/engine/engine-child.ts') })
  const secrets = new Map<string, string>()
  const profiles = new Map<string, ModelProfile>()
  const presets = new Map<string, unknown>()
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
        isEncrypted: false,
        get: async (name) => secrets.get(name),
        set: async (name, value) => void secrets.set(name, value),
        remove: async (name) => void secrets.delete(name),
      },
    },
    spawnWorker(entry, options) {
      const worker = fork(entry, options)
      onWorker(worker)
      return worker
    },
    resourcesDir: join(root, 'resources'),
    dataDir: folder,
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
    addresses,
  })
  opened.push(models)
  return { models, secrets }
}

describe('models on this machine', () => {
  it('are found: a server by its answer, files by their head', async () => {
    const { models } = await open()
    const found = await models.discover(never)
    expect(found.filter(({ backend }) => backend === 'koboldcpp')).toEqual([
      {
        backend: 'koboldcpp',
        address: fake.address,
        version: '1.76',
        modelName: 'story-12b',
        contextTokens: 4096,
        needsKey: false,
      },
    ])
    const files = found.filter((model) => model.backend === 'embedded')
    expect(files.map(({ file }) => file.slice(folder.length + 1))).toEqual([
      join('models', 'neko.gguf'),
      join('models', 'someone', 'deep', 'second.gguf'),
    ])
    expect(files[0]).toMatchObject({ modelName: '猫', contextTokens: 2048 })
  })

  it('are not what answers 200 to everything, nor what answers nothing', async () => {
    const liar = createServer((_request, response) => response.end('{"error":"Unexpected endpoint"}'))
    const mute = createServer(() => undefined)
    for (const server of [liar, mute]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const addresses = [liar, mute].map(
      (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    )
    const { models } = await open([...addresses, 'http://127.0.0.1:9'])
    const found = await models.discover(never)
    expect(found.filter(({ backend }) => backend === 'koboldcpp')).toEqual([])
    for (const server of [liar, mute]) {
      server.closeAllConnections()
      server.close()
    }
  })
})

describe('a chosen model', () => {
  it('is ready, is probed, counts and writes, whichever backend it has', async () => {
    const { models } = await open()
    const choices = [
      { backend: 'koboldcpp', address: fake.address },
      { backend: 'embedded', file: join(folder, 'models', 'neko.gguf') },
      { backend: 'demo', language: 'ja' },
    ] as const
    for (const choice of choices) {
      const profile = await models.use(choice)
      expect(models.status()).toMatchObject({
        state: 'ready',
        profileId: profile.id,
        isDemo: choice.backend === 'demo',
        isEstimateOnly: false,
        contextTokens: expect.any(Number),
      })
      expect(await models.probe(profile.id, never)).toMatchObject({
        canCountTokens: true,
        canConstrain: true,
        tokensPerSecond: expect.any(Number),
        error: null,
      })
      const { client, sampler } = await models.active(never)
      let text = ''
      for await (const event of client.complete(
        { prompt: plainPrompt('続き\n'), sampler, maxTokens: 5, stops: [], seed: 1 },
        never,
      )) {
        if (event.type === 'text') text += event.text
      }
      expect(text).not.toBe('')
    }
    expect(models.profiles()).toHaveLength(3)
  })

  it('gets a template by what its file says, and a known one is not made twice', async () => {
    const { models } = await open()
    const choice = { backend: 'embedded', file: join(folder, 'models', 'neko.gguf') } as const
    const profile = await models.use(choice)
    expect(profile.templateId).toBe('chatml')
    expect((await models.use(choice)).id).toBe(profile.id)
  })

  it('that is gone is unreachable, with the reason; its probe says so too', async () => {
    const gone = await startFakeKobold()
    const { models } = await open()
    const profile = await models.use({ backend: 'koboldcpp', address: gone.address })
    await gone.close()
    await models.refresh()
    expect(models.status()).toMatchObject({
      state: 'unreachable',
      error: { code: 'model/unreachable', address: gone.address },
    })
    expect((await models.probe(profile.id, never)).error).toMatchObject({ code: 'model/unreachable' })
  })

  it('whose engine dies is shown so at once, and works again at the next try', async () => {
    const engines: Worker[] = []
    const { models } = await open([], (worker) => void engines.push(worker))
    await models.use({ backend: 'embedded', file: join(folder, 'models', 'neko.gguf') })
    const { client, sampler } = await models.active(never)
    const request = {
      prompt: plainPrompt('続き\n'),
      sampler,
      maxTokens: 1500,
      stops: [],
      seed: 1,
      isEosBanned: true,
    }
    const dying = (async () => {
      for await (const event of client.complete(request, never)) {
        if (event.type === 'text') process.kill(engines.at(-1)?.pid ?? 0, 'SIGKILL')
      }
    })()
    await expect(dying).rejects.toThrow('model/engine-crashed')
    expect(models.status()).toMatchObject({ state: 'crashed', error: { code: 'model/engine-crashed' } })

    let text = ''
    for await (const event of client.complete({ ...request, maxTokens: 5 }, never)) {
      if (event.type === 'text') text += event.text
    }
    expect(text).not.toBe('')
    await expect.poll(() => models.status().state, { timeout: 30_000 }).toBe('ready')
    expect(engines).toHaveLength(2)
  })

  it('behind a password wants a key, keeps it secret, and works with it', async () => {
    const locked = await startFakeKobold({ password: 'himitsu' })
    const { models, secrets } = await open()
    const profile = await models.use({ backend: 'koboldcpp', address: locked.address })
    expect(models.status()).toMatchObject({ state: 'unreachable', error: { code: 'model/unauthorized' } })
    const saved = await models.saveProfile(profile, 'himitsu')
    expect(JSON.stringify([saved, models.profiles()])).not.toContain('himitsu')
    expect([...secrets.values()]).toEqual(['himitsu'])
    expect(models.status().state).toBe('ready')
    await locked.close()
  })

  it('is asked once for equal counts', async () => {
    const { models } = await open()
    await models.use({ backend: 'koboldcpp', address: fake.address })
    const { client } = await models.active(never)
    const counts = () => fake.requests.filter(({ path }) => path.endsWith('tokencount')).length
    const before = counts()
    await Promise.all([client.countTokens?.('雨', never), client.countTokens?.('雨', never)])
    await client.countTokens?.('雨', never)
    expect(counts() - before).toBe(1)
  })
})

describe('sampler presets', () => {
  it('keep the built-in ones and the user’s own', async () => {
    const { models } = await open()
    const [first] = models.presets()
    if (first === undefined) throw new Error('no presets')
    models.savePreset({ ...first, id: 'own-1', name: '自分の', isBuiltIn: false })
    models.savePreset({ ...first, id: 'own-1', name: '自分用', isBuiltIn: false })
    expect(models.presets().at(-1)).toMatchObject({ id: 'own-1', name: '自分用', isBuiltIn: false })
    expect(() => models.savePreset(first)).toThrow('model/bad-request')
    models.removePreset('own-1')
    expect(models.presets().every(({ isBuiltIn }) => isBuiltIn)).toBe(true)
  })
})
