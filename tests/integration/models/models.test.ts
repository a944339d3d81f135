import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SpawnWorker } from '../../../src/main/deps.ts'
import { plainPrompt } from '../../../src/main/models/client/model-client.ts'
import type { ModelService } from '../../../src/main/models/model-service.ts'
import { forkWorkers } from '../../../src/main/platform/node/fork-worker.ts'
import { openModelHost } from '../../fakes/rigs/models/model-host.ts'
import { type FakeKobold, startFakeKobold } from '../../fakes/servers/fake-kobold.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'

const engine = join(import.meta.dirname, '../../../src/main/engine/engine-child.ts')
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

async function open(addresses = [fake.address], spawnWorker?: SpawnWorker) {
  const host = await openModelHost(folder, addresses, undefined, spawnWorker)
  opened.push(host.models)
  return host
}

describe('models on this machine', () => {
  it('are found: a server by its answer, files by their head', async () => {
    const { models } = await open()
    const found = await models.discover(never)
    expect(found.filter(({ backend }) => backend === 'koboldcpp')).toEqual([
      {
        backend: 'koboldcpp',
        address: fake.address,
        models: [{ name: 'story-12b', choice: { backend: 'koboldcpp', address: fake.address } }],
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

  it('is written to as it is where the chat template of its file is not made of its tokens', async () => {
    const file = join(folder, 'models', 'base.gguf')
    writeTinyGguf(file, { name: 'base', markers: ['<start_of_turn>', '<end_of_turn>'] })
    const { models } = await open()
    expect(await models.use({ backend: 'embedded', file })).toMatchObject({
      templateId: 'plain',
      isTemplateGuessed: true,
    })
    rmSync(file)
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
    const { models, engines } = await open([], forkWorkers({ engine }))
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
    await expect.poll(() => models.status().state).toBe('ready')
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
