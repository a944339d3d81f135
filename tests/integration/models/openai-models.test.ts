import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ModelService } from '../../../src/main/models/model-service.ts'
import type { ModelProfile } from '../../../src/shared/domain/model/model-profile.ts'
import { eventually } from '../../fakes/eventually.ts'
import { openModelHost } from '../../fakes/rigs/models/model-host.ts'
import { createFakeLlamaServer, type LlamaOptions } from '../../fakes/servers/fake-llama-server.ts'
import { createRouteServer } from '../../fakes/servers/route-server.ts'
import { servedModel } from '../../fakes/servers/session-llama.ts'
import { chatEvents, usualServers } from '../../fakes/servers/usual-servers.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'

const never = new AbortController().signal

let folder = ''
const opened: ModelService[] = []
const servers: { close(): Promise<void> }[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsugi-openai-'))
  mkdirSync(join(folder, 'models'))
  writeTinyGguf(join(folder, 'models', 'neko.gguf'))
  copyFileSync(join(folder, 'models', 'neko.gguf'), join(folder, 'models', 'inu.gguf'))
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((models) => models.dispose()))
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function open(addresses: string[] = [], profiles?: Map<string, ModelProfile>) {
  const host = await openModelHost(folder, addresses, profiles)
  opened.push(host.models)
  return host
}

async function llama(options: LlamaOptions = {}) {
  const fake = await createFakeLlamaServer(options)
  servers.push(fake)
  return fake
}

async function say(models: ModelService, role: 'main' | 'fast'): Promise<string> {
  const { client, sampler } = await models.active(never, role)
  let text = ''
  const request = { sampler, maxTokens: 5, stops: [], seed: 1 }
  for await (const event of client.chat({ ...request, messages: [{ role: 'user', content: 'Hi' }] }, never)) {
    if (event.type === 'text') text += event.text
  }
  return text
}

describe('servers of OpenAI’s API', () => {
  it('are found on this machine with their models, by GET only', async () => {
    const fake = await llama({ alias: 'neko' })
    const ollama = await createRouteServer(usualServers.ollama())
    servers.push(ollama)
    const { models } = await open([fake.address, ollama.address])
    const found = await models.discover(never)
    const server = (flavour: string, address: string, model: string) => {
      const place = { backend: 'openai', flavour, address }
      const models = [{ name: model, choice: { ...place, model } }]
      return { ...place, models, contextTokens: null, needsKey: false }
    }
    expect(found.filter(({ backend }) => backend === 'openai')).toEqual([
      server('llama.cpp', fake.address, 'neko'),
      server('ollama', ollama.address, 'qwen3:4b'),
    ])
    const methods = [...fake.requests, ...ollama.requests].map(({ method }) => method)
    expect(new Set(methods)).toEqual(new Set(['GET']))
  })

  it('are used, tested and counted with; the template is the server’s own', async () => {
    const fake = await llama({ alias: 'neko', contextTokens: 4096, tokenMs: 1 })
    const { models } = await open()
    const choice = servedModel(fake.address, 'neko')
    const profile = await models.use(choice)
    expect(profile).toMatchObject({ templateId: 'chatml', hasKey: false })
    expect(models.status()).toMatchObject({
      state: 'ready',
      backend: 'openai',
      modelName: 'neko',
      contextTokens: 4096,
      isEstimateOnly: false,
    })
    expect(await models.probe(profile.id, never)).toMatchObject({
      canCountTokens: true,
      canConstrain: true,
      canCallTools: true,
      tokensPerSecond: expect.any(Number),
      error: null,
    })
    expect((await models.use(choice)).id).toBe(profile.id)
  })

  it('get their key from the secret store and never give it back', async () => {
    const fake = await llama({ alias: 'neko', apiKey: 'himitsu' })
    const { models, secrets } = await open()
    expect(await models.identify(fake.address, undefined, never)).toMatchObject({ needsKey: true })
    expect(await models.identify(fake.address, 'himitsu', never)).toMatchObject({
      models: [{ name: 'neko' }],
    })
    const choice = servedModel(fake.address, 'neko')
    const profile = await models.use(choice, 'himitsu')
    expect(models.status().state).toBe('ready')
    expect(profile).toMatchObject({ hasKey: true, templateId: 'chatml' })
    expect(JSON.stringify([profile, models.profiles()])).not.toContain('himitsu')
    expect([...secrets.values()]).toEqual(['himitsu'])
    await models.removeProfile(profile.id)
    expect([...secrets.values()]).toEqual([])
    expect(models.status().state).toBe('none')
  })

  it('keep what a test found out, until they are another model', async () => {
    const vllm = await createRouteServer({
      ...usualServers.vllm(),
      'POST /v1/completions': { events: [{ choices: [{ text: 'on', finish_reason: 'stop' }] }] },
      'POST /v1/chat/completions': {
        events: [
          {
            choices: [
              { delta: { tool_calls: [{ id: 'c', function: { name: 'remember', arguments: '{}' } }] } },
            ],
          },
          { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
        ],
      },
    })
    servers.push(vllm)
    const profiles = new Map<string, ModelProfile>()
    const { models } = await open([], profiles)
    const { id } = await models.use({ backend: 'openai', address: vllm.address, model: 'Qwen/Qwen3-8B' })
    // Nobody tests it: it is tried once, behind everything.
    await eventually(() => expect(profiles.get(id)).toMatchObject({ canCallTools: true }))
    expect(models.status()).toMatchObject({ state: 'ready', canCallTools: true })
    const trials = vllm.requests.filter(({ body }) => JSON.stringify(body ?? '').includes('"remember"'))
    expect(trials).toHaveLength(1)
    expect(await models.probe(id, never)).toMatchObject({
      canCallTools: true,
      canConstrain: false,
      error: null,
    })
    const later = await open([], profiles)
    await later.models.select(id, 'main')
    expect((await later.models.active(never)).client.capabilities.hasTools).toBe(true)
    const tested = profiles.get(id)
    if (tested?.backend !== 'openai') throw new Error('not saved')
    expect(await models.saveProfile({ ...tested, model: 'other' }, undefined)).not.toHaveProperty(
      'canCallTools',
    )
  })

  it('are tried once for how they go on in a text and whether they call tools, and the profile keeps it', async () => {
    const server = await createRouteServer({
      'GET /v1/models': { json: { data: [{ id: 'm' }] } },
      'POST /v1/chat/completions': chatEvents(' door.'),
    })
    servers.push(server)
    const profiles = new Map<string, ModelProfile>()
    const { models } = await open([], profiles)
    const { id } = await models.use({
      backend: 'openai',
      address: server.address,
      model: 'm',
      flavour: 'other',
    })
    const found = { continuation: 'prefill', canCallTools: false }
    await eventually(() => expect(profiles.get(id)).toMatchObject(found))
    const posts = () => server.requests.filter(({ method }) => method === 'POST').length
    expect(posts()).toBe(3)
    const later = await open([], profiles)
    await later.models.select(id, 'main')
    await later.models.refresh()
    expect(later.models.status().state).toBe('ready')
    expect(posts()).toBe(3)
    const kept = profiles.get(id)
    if (kept?.backend !== 'openai') throw new Error('not saved')
    expect(await models.saveProfile({ ...kept, model: 'other' }, undefined)).not.toHaveProperty(
      'continuation',
    )
  })
})

describe('the fast role', () => {
  it('is the main model’s where nothing else is chosen, and another one’s where it is', async () => {
    const main = await llama({ alias: 'large', answer: () => ({ text: 'large' }) })
    const small = await llama({ alias: 'small', answer: () => ({ text: 'small' }) })
    const { models } = await open()
    const use = (address: string, model: string) => models.use({ backend: 'openai', address, model })
    const fast = await use(small.address, 'small')
    await use(main.address, 'large')
    expect([await say(models, 'main'), await say(models, 'fast')]).toEqual(['large', 'large'])
    await models.select(fast.id, 'fast')
    expect([await say(models, 'main'), await say(models, 'fast')]).toEqual(['large', 'small'])
    expect(models.status().modelName).toBe('large')
    await models.removeProfile(fast.id)
    expect(await say(models, 'fast')).toBe('large')
  })

  it('waits for the main model’s request where both have one server', async () => {
    const fake = await llama({ slots: 4, tokenMs: 20, answer: () => ({ text: 'word '.repeat(5) }) })
    const { models } = await open()
    const use = (model: string) => models.use(servedModel(fake.address, model))
    const fast = await use('another-name')
    await use('a-name')
    await models.select(fast.id, 'fast')
    const both = Promise.all([say(models, 'main'), say(models, 'fast')])
    const isSettled = both.then(() => true)
    let most = 0
    while (!(await Promise.race([isSettled, new Promise((done) => setTimeout(() => done(false), 5))]))) {
      most = Math.max(most, fake.pendingCount)
    }
    expect(most).toBe(1)
  })

  it('never loads a file twice, and loads another one beside it', async () => {
    const { models, engines } = await open()
    const file = join(folder, 'models', 'neko.gguf')
    const main = await models.use({ backend: 'embedded', file })
    if (main.backend !== 'embedded') throw new Error('another backend')
    const twin = await models.saveProfile({ ...main, id: 'new', samplerPresetId: 'exact' }, undefined)
    await models.select(twin.id, 'fast')
    await say(models, 'fast')
    expect(engines).toHaveLength(1)
    const other = await models.saveProfile(
      { ...main, id: 'new', file: join(folder, 'models', 'inu.gguf') },
      undefined,
    )
    await models.select(other.id, 'fast')
    await say(models, 'fast')
    expect(engines).toHaveLength(2)
    // As the main model it takes the second one's place, too.
    await models.select(other.id, 'main')
    await say(models, 'fast')
    await say(models, 'main')
    await Promise.all(engines.slice(0, 2).map(({ exited }) => exited))
    expect(engines).toHaveLength(3)
  })
})
