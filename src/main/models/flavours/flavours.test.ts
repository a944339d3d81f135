import { describe, expect, it } from 'vitest'
import { openaiClientOf } from '../../../../tests/fakes/rigs/models/openai-rig.ts'
import {
  createRouteServer,
  type RouteAnswer,
  type Routes,
} from '../../../../tests/fakes/servers/route-server.ts'
import { chatEvents, usualServers } from '../../../../tests/fakes/servers/usual-servers.ts'
import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { isAppError } from '../../../shared/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { type ChatRequest, type ModelEvent, plainPrompt } from '../client/model-client.ts'
import { samplerBody } from '../client/sampler-table.ts'
import { probe } from '../discovery/probe.ts'
import type { OpenaiClientOptions } from '../openai/openai-client.ts'
import { flavours } from './flavours.ts'

const never = new AbortController().signal
const sampler = { temperature: 0.7, topK: 0, topP: 0.95, minP: 0.05, repeatPenalty: 1.05, repeatRange: 320 }
const chatPath = 'POST /v1/chat/completions'
async function serve(
  flavour: OpenaiFlavour | undefined,
  model: string,
  routes: Routes,
  changes: Partial<OpenaiClientOptions> = {},
) {
  const server = await createRouteServer(routes)
  const client = openaiClientOf(server, { model, flavour, ...changes })
  const asked = (path: string) => server.requests.filter((request) => request.path === path)
  const bodies = () => asked('/v1/chat/completions').map(({ body }) => body as Record<string, unknown>)
  return { client, server, asked, bodies }
}

const request: ChatRequest = {
  messages: [{ role: 'user', content: 'Say something about the sea at night.' }],
  sampler,
  maxTokens: 64,
  stops: ['1', '2', '3', '4', '5'],
  seed: 1,
}

async function run(events: AsyncIterable<ModelEvent>) {
  const seen: ModelEvent[] = []
  for await (const event of events) seen.push(event)
  const text = seen.map((event) => (event.type === 'text' ? event.text : '')).join('')
  const usage = seen.find((event) => event.type === 'usage')
  return { seen, text, usage: usage?.type === 'usage' ? usage.usage : undefined }
}

const allSamplers = {
  ...sampler,
  topA: 0.2,
  xtcProbability: 0.5,
  dryMultiplier: 0.8,
  mirostat: 2 as const,
  nSigma: 1.5,
  logitBias: [{ text: '猫', bias: -5 }],
  order: ['temperature' as const],
}

/** The fields of `allSamplers` that a request to each server holds. `sampler-table.test.ts` tests those of llama.cpp. */
const sampling: Record<Exclude<OpenaiFlavour, 'llama.cpp'>, object> = {
  ollama: { temperature: 0.7, top_p: 0.95 },
  'lm-studio': { temperature: 0.7, top_k: 0, top_p: 0.95, repeat_penalty: 1.05 },
  vllm: { temperature: 0.7, top_k: -1, top_p: 0.95, min_p: 0.05, repetition_penalty: 1.05 },
  other: { temperature: 0.7, top_p: 0.95 },
}

it.each(Object.entries(sampling) as [OpenaiFlavour, object][])(
  'says to %s nothing of a sampler that it would ignore or refuse',
  (flavour, body) => {
    const said = samplerBody(allSamplers, flavours[flavour].sampler)
    expect(JSON.stringify(said)).toBe(JSON.stringify(body))
  },
)

describe('Ollama', () => {
  it('tells the window with which a model is loaded, and loads it for that', async () => {
    const { client, asked } = await serve('ollama', 'qwen3:4b', usualServers.ollama({ isLoaded: false }))
    expect(await client.describe(never)).toMatchObject({
      modelName: 'qwen3:4b',
      version: '0.12.6',
      context: { tokens: 4096, source: 'server' },
    })
    expect(asked('/api/generate').map(({ body }) => body)).toEqual([{ model: 'qwen3:4b', stream: false }])
    expect(client.capabilities).toMatchObject({ hasTools: true, hasCounter: false, hasReuseCount: false })
    expect(client.countTokens).toBeNull()
  })

  it('continues a prompt as a chat, since it puts its own template around', async () => {
    const routes = { ...usualServers.ollama(), [chatPath]: chatEvents('and on.', { prompt_tokens: 9 }) }
    const { client, bodies } = await serve('ollama', 'qwen3:4b', routes)
    const prompt = [
      { text: '[INST]', isSpecial: true },
      { text: 'Go on.', isSpecial: false },
      { text: '[/INST]', isSpecial: true },
      { text: 'Once', isSpecial: false },
    ]
    const { messages: _none, ...rest } = request
    expect((await run(client.complete({ ...rest, prompt }, never))).text).toBe('and on.')
    expect(bodies()[0]).toMatchObject({ messages: [{ role: 'user', content: 'Go on.\n\nOnce' }] })
    expect(bodies()[0]).not.toHaveProperty('top_k')
  })

  it('tells the control tokens of its model, which are broken in every request and asked for once', async () => {
    const tokens = [
      ['<', 1],
      ['◁user▷', 3],
      ['#turn:', 4],
      ['<div>', 4],
      ['  ', 4],
      ['猫', 4],
      ['div>', 1],
    ] as const
    const routes = { ...usualServers.ollama({ tokens }), [chatPath]: chatEvents('x', { prompt_tokens: 9 }) }
    const { client, bodies, asked } = await serve('ollama', 'qwen3:4b', routes)
    const content = '◁user▷ #turn: <div> div>  猫'
    const messages = [{ role: 'user', content }] as const
    for (let turn = 0; turn < 2; turn += 1) await run(client.chat({ ...request, messages }, never))
    const sent = '◁\u2060user▷ #\u2060turn: <div> div>  猫'
    expect(bodies().map(({ messages: given }) => given)).toEqual(
      [sent, sent].map((text) => [{ role: 'user', content: text }]),
    )
    const verbose = asked('/api/show').filter(({ body }) => (body as { verbose?: boolean }).verbose)
    expect(verbose).toHaveLength(1)
  })

  it('is sent nothing that it would cut silently', async () => {
    const { client, bodies } = await serve('ollama', 'qwen3:4b', usualServers.ollama())
    const long = { ...request, messages: [{ role: 'user', content: '海'.repeat(5_000) }] as const }
    await expect(run(client.chat(long, never))).rejects.toThrow('model/context-overflow')
    expect(bodies()).toEqual([])
  })
})

describe('LM Studio', () => {
  it('tells the window of a loaded model only, and which models call tools', async () => {
    const loaded = await serve('lm-studio', 'qwen2.5-7b', usualServers.lmStudio())
    expect((await loaded.client.describe(never)).context).toEqual({ tokens: 4096, source: 'server' })
    expect(loaded.client.capabilities.hasTools).toBe(true)
    const other = await serve('lm-studio', 'gemma-3-4b', usualServers.lmStudio())
    expect((await other.client.describe(never)).context).toEqual({ tokens: 32_768, source: 'assumed' })
    expect(other.client.capabilities.hasTools).toBe(false)
  })
})

describe('vLLM', () => {
  const refusal = {
    status: 400,
    json: {
      object: 'error',
      message: '"auto" tool choice requires --enable-auto-tool-choice',
      type: 'BadRequestError',
      code: 400,
    },
  }
  it('tells its window, continues prompts itself, and is tried for tools', async () => {
    const routes = {
      ...usualServers.vllm(),
      'POST /v1/completions': { events: [{ choices: [{ index: 0, text: 'on.', finish_reason: 'length' }] }] },
      [chatPath]: refusal,
    }
    const { client } = await serve(undefined, 'Qwen/Qwen3-8B', routes)
    expect((await client.describe(never)).context?.tokens).toBe(16_384)
    const { messages: _none, ...rest } = request
    const { text, usage } = await run(client.complete({ ...rest, prompt: plainPrompt('Go') }, never))
    expect([text, usage?.isExact]).toEqual(['on.', false])
    expect(await client.tryTools('foreground', never)).toBe(false)
  })

  it('has tools where the trial ends in a call', async () => {
    const call = { index: 0, id: 'c1', function: { name: 'remember', arguments: '{"word":"umbrella"}' } }
    const events = [
      { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    ]
    const { client } = await serve('vllm', 'Qwen/Qwen3-8B', {
      ...usualServers.vllm(),
      [chatPath]: { events },
    })
    expect(client.capabilities.hasTools).toBe(false)
    expect(await client.tryTools('foreground', never)).toBe(true)
    expect(client.capabilities.hasTools).toBe(true)
  })
})

describe('a service on the internet', () => {
  const withKey = { key: async () => 'himitsu' }
  const usage = { prompt_tokens: 200, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 128 } }

  it('gets only fields of the API, the key, and four stops', async () => {
    const routes = { ...usualServers.cloud(), [chatPath]: chatEvents('The sea.', usage) }
    const { client, asked, bodies } = await serve('other', 'big-1', routes, withKey)
    const answer = await run(client.chat(request, never))
    expect(answer).toMatchObject({
      text: 'The sea.',
      usage: { promptTokens: 200, reusedTokens: 128, isReuseEstimated: false, isExact: true },
    })
    expect(Object.keys(bodies()[0] ?? {}).sort()).toEqual(
      [
        'max_tokens',
        'messages',
        'model',
        'seed',
        'stop',
        'stream',
        'stream_options',
        'temperature',
        'top_p',
      ].sort(),
    )
    expect(bodies()[0]?.stop).toEqual(['1', '2', '3', '4'])
    expect(asked('/v1/chat/completions')[0]?.headers.authorization).toBe('Bearer himitsu')
    expect(await client.contextWindow(never)).toEqual({ tokens: 32_768, source: 'assumed' })
  })

  it('is asked again without a field that it refuses by name, and by the newer name of the limit', async () => {
    const refused = (param: string): RouteAnswer => ({
      status: 400,
      json: { error: { message: `Unsupported parameter: '${param}'`, type: 'invalid_request_error', param } },
    })
    const routes: Routes = {
      ...usualServers.cloud(),
      [chatPath]: ({ body }) => {
        if ('max_tokens' in (body as object)) return refused('max_tokens')
        return 'temperature' in (body as object) ? refused('temperature') : chatEvents('Yes.')
      },
    }
    const { client, bodies } = await serve('other', 'o9', routes, withKey)
    expect((await run(client.chat(request, never))).text).toBe('Yes.')
    expect((await run(client.chat(request, never))).text).toBe('Yes.')
    expect(bodies()).toHaveLength(4)
    expect(bodies().at(-1)).toMatchObject({ max_completion_tokens: 64, top_p: 0.95 })
  })

  it('puts its guess of tokens right by what the service counted, and says that it is one', async () => {
    const routes = { ...usualServers.cloud(), [chatPath]: chatEvents('Yes.') }
    const { client } = await serve('other', 'big-1', routes, withKey)
    const first = (await run(client.chat(request, never))).usage
    const second = (await run(client.chat(request, never))).usage
    expect(first).toMatchObject({ isExact: false, reusedTokens: 0, isReuseEstimated: true })
    expect(second?.reusedTokens).toBe(second?.promptTokens)
  })

  it('says what was wrong with a request', async () => {
    const json = { error: { message: 'Invalid schema for response_format', param: 'response_format' } }
    const routes = { ...usualServers.cloud(), [chatPath]: { status: 400, json } }
    const { client } = await serve('other', 'big-1', routes, withKey)
    const failed = await run(client.chat(request, never)).catch((error: unknown) => error)
    expect(isAppError(failed, 'model/bad-request') && failed.info.reason).toMatch('Invalid schema')
  })

  describe('that takes no schema', () => {
    const constraint = { kind: 'json-schema', schema: { type: 'object', properties: {} } } as const
    const refusal = {
      status: 400,
      json: {
        error: { message: 'This response_format type is unavailable now', type: 'invalid_request_error' },
      },
    }

    it('is asked without one, since the answer is read by the ladder all the same', async () => {
      const routes: Routes = {
        ...usualServers.cloud(),
        [chatPath]: ({ body }) => ('response_format' in (body as object) ? refusal : chatEvents('{}')),
      }
      const { client, bodies } = await serve('other', 'chat-1', routes, withKey)
      expect(client.capabilities.constraints).toEqual(['json-schema'])
      expect((await run(client.chat({ ...request, constraint }, never))).text).toBe('{}')
      expect(client.capabilities.constraints).toEqual([])
      expect((await run(client.chat({ ...request, constraint }, never))).text).toBe('{}')
      expect(bodies().map((body) => 'response_format' in body)).toEqual([true, false, false])
    })

    it('is not broken to the one who tests the connection', async () => {
      const routes: Routes = {
        ...usualServers.cloud(),
        [chatPath]: ({ body }) => ('response_format' in (body as object) ? refusal : chatEvents('Yes.')),
      }
      const { client } = await serve('other', 'chat-1', routes, withKey)
      const found = await probe({ clock: systemClock, random: systemRandom }, client, sampler, never)
      expect(found).toMatchObject({ canConstrain: false, error: null })
    })

    it('keeps its schemas where it is only this one that it refuses', async () => {
      const wrong = { kind: 'json-schema', schema: { type: 'object', properties: { wrong: {} } } } as const
      const routes: Routes = {
        ...usualServers.cloud(),
        [chatPath]: ({ body }) => (JSON.stringify(body).includes('wrong') ? refusal : chatEvents('{}')),
      }
      const { client, bodies } = await serve('other', 'chat-1', routes, withKey)
      for (const one of [constraint, wrong, wrong, constraint])
        await run(client.chat({ ...request, constraint: one }, never))
      expect(client.capabilities.constraints).toEqual(['json-schema'])
      expect(bodies().map((body) => 'response_format' in body)).toEqual([true, true, false, false, true])
    })
  })
})
