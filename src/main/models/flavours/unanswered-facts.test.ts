import { describe, expect, it } from 'vitest'
import { openaiClientOf } from '../../../../tests/fakes/rigs/models/openai-rig.ts'
import {
  createRouteServer,
  type RouteAnswer,
  type Routes,
} from '../../../../tests/fakes/servers/route-server.ts'
import { chatEvents, usualServers } from '../../../../tests/fakes/servers/usual-servers.ts'
import { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import type { ChatRequest } from '../client/model-client.ts'

const never = new AbortController().signal
const sampler = { temperature: 0.7, topK: 40, topP: 0.95, minP: 0.05, repeatPenalty: 1.05, repeatRange: 320 }
const request: ChatRequest = {
  messages: [{ role: 'user', content: 'Go on.' }],
  sampler,
  maxTokens: 64,
  stops: [],
  seed: 1,
}
const chatPath = 'POST /v1/chat/completions'
const listed = { json: { object: 'list', data: [{ id: 'm', object: 'model', max_model_len: 8_192 }] } }

async function serve(flavour: OpenaiFlavour, model: string, routes: Routes) {
  const server = await createRouteServer(routes)
  const client = openaiClientOf(server, { model, flavour })
  const told = async (): Promise<string> => {
    let text = ''
    for await (const event of client.chat(request, never)) if (event.type === 'text') text += event.text
    return text
  }
  return { client, server, told }
}

/** Answers to paths that a server, or a proxy before it, does not know. */
const unknownPaths: [string, RouteAnswer][] = [
  ['an error of this API', { status: 404, json: { error: { message: 'File Not Found', code: 404 } } }],
  ['an error that it is not supported', { status: 501, json: { error: { message: 'Not supported' } } }],
  ['an error of another form', { status: 404, json: { detail: 'Not Found' } }],
  ['an error under 200', { json: { error: 'Unexpected endpoint or method.' } }],
  ['a refusal of the method', { status: 405, json: 'Method Not Allowed' }],
]
const ownKinds = OpenaiFlavour.extract(['llama.cpp', 'ollama', 'lm-studio']).options

describe.each(ownKinds)('a server of the flavour %s that answers only the API', (flavour) => {
  it.each(unknownPaths)('and else %s is used by the API alone', async (_name, other) => {
    const routes = { 'GET /v1/models': listed, [chatPath]: chatEvents('The sea.'), else: other }
    const { client, server, told } = await serve(flavour, 'm', routes)
    expect((await client.describe(never)).context).toEqual({ tokens: 8_192, source: 'server' })
    expect(client.countTokens).toBeNull()
    expect(await told()).toBe('The sea.')
    const asked = server.requests.filter(({ method }) => method === 'POST')
    expect(asked.map(({ path }) => path)).toEqual(['/v1/chat/completions'])
    expect(asked[0]?.body).not.toHaveProperty('top_k')
  })

  it('is no model server where its list of models is a page', async () => {
    const { client } = await serve(flavour, 'm', { else: { json: '<!doctype html>' } })
    await expect(client.describe(never)).rejects.toThrow('model/bad-response')
  })

  it('is used in its own way once it answers again', async () => {
    let isReady = false
    const own = flavour === 'llama.cpp' ? llamaRoutes : usualServers[names[flavour]]()
    const routes = Object.entries(own).map(([path, answer]): [string, Routes[string]] => [
      path,
      (asked) => {
        if (!isReady && !path.includes('/v1/')) return { status: 404, json: { detail: 'Not Found' } }
        return typeof answer === 'function' ? answer(asked) : answer
      },
    ])
    const { client } = await serve(flavour, models[flavour], Object.fromEntries(routes))
    expect((await client.describe(never)).context?.source).toBe('assumed')
    isReady = true
    expect((await client.describe(never)).context).toEqual({ tokens: 4_096, source: 'server' })
  })
})

const names = { ollama: 'ollama', 'lm-studio': 'lmStudio' } as const
const models = { 'llama.cpp': 'm', ollama: 'qwen3:4b', 'lm-studio': 'qwen2.5-7b' }
const llamaRoutes: Routes = {
  'GET /v1/models': { json: { data: [{ id: 'm', owned_by: 'llamacpp' }] } },
  'GET /props': { json: { default_generation_settings: { n_ctx: 4_096 } } },
}

describe('a known server that has no answer', () => {
  it.each([
    ['list of models', { status: 404, json: { error: { message: 'Not Found' } } }],
    ['list of models, in another form', { status: 404, json: { detail: 'Not Found' } }],
  ])('is used without it: a %s', async (_name, noList) => {
    const { client, told } = await serve('other', 'm', {
      'GET /v1/models': noList,
      [chatPath]: chatEvents('The sea.'),
    })
    expect((await client.describe(never)).context?.source).toBe('assumed')
    expect(await told()).toBe('The sea.')
  })

  const missing = { status: 404, json: { error: "model 'gone' not found" } }
  const tooLarge = {
    status: 500,
    json: { error: 'model requires more system memory (9.1 GiB) than is available (4.0 GiB)' },
  }
  it.each([
    ['does not have', 'POST /api/show', missing, 'HTTP 404: model'],
    ['cannot load', 'POST /api/generate', tooLarge, 'HTTP 500: model requires more system memory'],
  ])('tells what it said of a model that it %s', async (_name, path, refusal, reason) => {
    const { client, server } = await serve('ollama', 'gone', { ...usualServers.ollama(), [path]: refusal })
    await expect(client.describe(never)).rejects.toMatchObject({
      info: {
        code: 'model/server-error',
        address: server.address,
        reason: expect.stringContaining(reason),
      },
    })
  })
})
