import { afterEach, describe, expect, it } from 'vitest'
import { startFakeKobold } from '../../../../tests/fakes/servers/fake-kobold.ts'
import { createFakeLlamaServer } from '../../../../tests/fakes/servers/fake-llama-server.ts'
import {
  type OtherServerName,
  otherServerNames,
  startOtherServer,
} from '../../../../tests/fakes/servers/other-servers.ts'
import { ownServers } from '../../../../tests/fakes/servers/own-servers.ts'
import { createRouteServer, type Routes } from '../../../../tests/fakes/servers/route-server.ts'
import { flavourServers, usualServers } from '../../../../tests/fakes/servers/usual-servers.ts'
import type { FoundServer } from '../../../shared/domain/model/model-found.ts'
import { defaultTimeouts, OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { systemClock } from '../../platform/clock.ts'
import { flavours } from '../flavours/flavours.ts'
import { usualAddresses } from './discovery.ts'
import { identifyServer } from './identify-server.ts'
import { ownApis } from './own-apis.ts'

const never = new AbortController().signal
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

/** Identifies the server at an address, and returns the names of its models without their choices. */
async function told(address: string, key?: string) {
  const { models, ...found } = await identify(address, key)
  return { ...found, models: models.map(({ name }) => name) }
}

function identify(address: string, key?: string, signal = never): Promise<FoundServer> {
  return identifyServer(
    { clock: systemClock, address, timeouts: defaultTimeouts, key: async () => key },
    signal,
  )
}

async function serve(routes: Routes) {
  const server = await createRouteServer(routes)
  open.push(server)
  return server
}

describe('a server at an address', () => {
  it('of every kind is looked for at the port that it documents, where that is its own', () => {
    const rows = [...Object.values(ownApis), ...Object.values(flavours)]
    const documented = rows.flatMap(({ usualPort }) => usualPort ?? [])
    expect(documented).toEqual(expect.arrayContaining([5001, 8080, 11434, 1234]))
    expect(usualAddresses.toSorted()).toEqual(documented.map((port) => `http://127.0.0.1:${port}`).toSorted())
  })

  it.each(Object.entries(ownServers))('is a %s by its own API, by GET only', async (backend, start) => {
    const server = await start()
    open.push(server)
    const { choice } = server
    const models = [{ name: expect.any(String), choice }]
    const found = { backend, address: choice.address, models, needsKey: false }
    expect(await identify(choice.address)).toMatchObject(found)
    expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  // A llama-server has its own fake, see below.
  const withRoutes = OpenaiFlavour.options.filter((flavour) => flavourServers[flavour].routes !== null)

  it.each(withRoutes)('is %s by what it tells, by GET only', async (flavour) => {
    const { routes, models } = flavourServers[flavour]
    const { address, requests } = await serve(routes ?? {})
    const found = { backend: 'openai', address, flavour, models, contextTokens: null, needsKey: false }
    expect(await told(address)).toEqual(found)
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']))
  })

  it('is found by an address that ends with the API’s version, or with another one', async () => {
    const { address } = await serve(usualServers.ollama())
    expect(await identify(`${address}/v1/`)).toMatchObject({ flavour: 'ollama', address: `${address}/v1/` })
    const zai = await serve({ 'GET /api/paas/v4/models': { json: { data: [{ id: 'glm' }] } } })
    expect(await told(`${zai.address}/api/paas/v4`)).toMatchObject({ models: ['glm'] })
  })

  it('is a llama-server, with and without its key, and waited for while it loads', async () => {
    const fake = await createFakeLlamaServer({ apiKey: 'himitsu', alias: 'neko' })
    open.push(fake)
    expect(await identify(fake.address)).toMatchObject({ flavour: 'llama.cpp', models: [], needsKey: true })
    expect(await told(fake.address, 'himitsu')).toMatchObject({ flavour: 'llama.cpp', models: ['neko'] })
    await expect(identify(fake.address, 'wrong')).rejects.toThrow('model/unauthorized')
    fake.options.isLoading = true
    await expect(identify(fake.address, 'himitsu')).rejects.toThrow('model/busy')
  })

  it('is an older llama-server in spite of paths that are Ollama’s', async () => {
    const { address } = await serve({
      'GET /v1/models': { json: { data: [{ id: 'm' }] } },
      'GET /api/version': { json: { version: '1' } },
      'GET /props': { json: { default_generation_settings: { n_ctx: 512 }, total_slots: 1 } },
    })
    expect(await identify(address)).toMatchObject({ flavour: 'llama.cpp' })
  })

  it('is a KoboldCpp, by its list of models or, without one, by its own path', async () => {
    const fake = await startFakeKobold({ modelName: 'story-12b', contextTokens: 4096 })
    open.push(fake)
    const found = { backend: 'koboldcpp', models: ['story-12b'], contextTokens: 4096, needsKey: false }
    expect(await told(fake.address)).toMatchObject(found)
    const { address } = await serve({
      'GET /api/extra/version': { json: { result: 'KoboldCpp', version: '1.50', protected: false } },
      'GET /api/v1/model': { json: { result: 'koboldcpp/old' } },
      'GET /api/extra/true_max_context_length': { json: { value: 2048 } },
    })
    expect(await told(address)).toMatchObject({ backend: 'koboldcpp', models: ['old'] })
  })

  it.each(otherServerNames)('is told apart from others, or is none at all: %s', async (name) => {
    const wanted: Record<OtherServerName, string | null> = {
      ollama: 'ollama',
      'lm-studio': 'lm-studio',
      vllm: 'vllm',
      'older-llama-server': 'llama.cpp',
      'llama-router': 'llama.cpp',
      'page-for-all': null,
      silent: null,
    }
    const server = await startOtherServer(name)
    open.push(server)
    const asked = identify(server.address, undefined, AbortSignal.timeout(2_000))
    if (wanted[name] === null) await expect(asked).rejects.toThrow()
    else expect(await asked).toMatchObject({ flavour: wanted[name], models: [{ name: expect.any(String) }] })
    expect(server.requests.filter((request) => !request.startsWith('GET '))).toEqual([])
  })

  it('wants a key, or is none, or is not there: each is said', async () => {
    const cloud = await serve(usualServers.cloud())
    expect(await identify(cloud.address)).toMatchObject({ flavour: 'other', needsKey: true, models: [] })
    expect(await told(cloud.address, 'himitsu')).toMatchObject({ models: ['big-1'], needsKey: false })
    await expect(identify(cloud.address, 'wrong')).rejects.toThrow('model/unauthorized')
    const shop = await serve({ else: { json: { error: 'Unexpected endpoint' } } })
    await expect(identify(shop.address)).rejects.toThrow('model/bad-response')
    const closed = await serve({ else: { status: 404, json: { error: { message: 'Not Found' } } } })
    await expect(identify(closed.address)).rejects.toThrow('model/bad-response')
    await expect(identify('http://127.0.0.1:9')).rejects.toThrow('model/unreachable')
  })
})
