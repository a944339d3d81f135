import { describe, expect, it } from 'vitest'
import { openaiClientOf } from '../../../../tests/fakes/rigs/models/openai-rig.ts'
import {
  createRouteServer,
  type RouteAnswer,
  type Routes,
} from '../../../../tests/fakes/servers/route-server.ts'
import { chatEvents, usualServers } from '../../../../tests/fakes/servers/usual-servers.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import { systemClock } from '../../platform/clock.ts'
import type { ChatRequest, ModelEvent } from '../client/model-client.ts'
import type { OpenaiClient, OpenaiClientOptions } from './openai-client.ts'

const never = new AbortController().signal
const sampler = { temperature: 0.2, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const request: ChatRequest = {
  messages: [{ role: 'user', content: 'Hello.' }],
  sampler,
  maxTokens: 64,
  stops: [],
  seed: 1,
}
const chatPath = 'POST /v1/chat/completions'
const shortened = [1_000, 2_000, 4_000, 7_000, 8_000, 60_000]
/** A clock with waits of a few milliseconds between attempts; time limits for silence are not changed. */
const quickClock: Clock = {
  ...systemClock,
  setTimeout: (callback, delayMs) =>
    systemClock.setTimeout(callback, shortened.includes(delayMs) ? 2 : delayMs),
}

async function serve(answers: RouteAnswer[], options: Partial<OpenaiClientOptions> = {}) {
  const left = [...answers]
  const routes: Routes = { ...usualServers.cloud(), [chatPath]: () => left.shift() ?? chatEvents('Yes.') }
  const server = await createRouteServer(routes)
  const client = openaiClientOf(server, {
    clock: quickClock,
    model: 'o9',
    key: async () => 'himitsu',
    timeouts: { connectMs: 5_000, firstTokenMs: 600_000, idleMs: 600_000 },
    ...options,
  })
  const asked = () => server.requests.filter(({ path }) => path === '/v1/chat/completions').length
  return { client, asked }
}

async function run(client: OpenaiClient) {
  const events: ModelEvent[] = []
  let code: string | null = null
  try {
    for await (const event of client.chat(request, never)) events.push(event)
  } catch (error) {
    if (!isAppError(error)) throw error
    code = error.info.code
  }
  const waits = events.flatMap((event) =>
    event.type === 'phase' && event.waitMs !== undefined ? event.waitMs : [],
  )
  return { waits, code, isDone: events.at(-1)?.type === 'done' }
}

const busy = (status: number, retryAfter?: string): RouteAnswer => ({
  status,
  json: { error: { message: 'slow down' } },
  ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
})

it('a server that ignores the limit of an answer is left when it has sent far more', async () => {
  const piece = { choices: [{ index: 0, delta: { content: '雨が降り続いていた。' } }] }
  const { client } = await serve([{ events: Array(5_000).fill(piece) }])
  const events: ModelEvent[] = []
  for await (const event of client.chat(request, never)) events.push(event)
  const chars = events.reduce((sum, event) => sum + (event.type === 'text' ? event.text.length : 0), 0)
  expect(chars).toBeGreaterThan(64 * 32)
  expect(chars).toBeLessThan(64 * 32 + 2_000)
  expect(events.at(-1)).toEqual({ type: 'done', stopReason: 'length' })
})

describe('a server that takes no request now', () => {
  it('is asked again after the time that it names, a minute at the most, and says so', async () => {
    const { client, asked } = await serve([busy(429, '7'), busy(503, '900')])
    expect(await run(client)).toEqual({ waits: [7_000, 60_000], code: null, isDone: true })
    expect(asked()).toBe(3)
  })

  it('is asked again after 1, 2, 4 and 8 seconds where it names none, and then has failed', async () => {
    const { client, asked } = await serve([429, 503, 429, 503, 429].map((status) => busy(status)))
    expect(await run(client)).toEqual({
      waits: [1_000, 2_000, 4_000, 8_000],
      code: 'model/busy',
      isDone: false,
    })
    expect(asked()).toBe(5)
  })
})

describe('a context window that the server does not tell', () => {
  const tooLong = (message: string): RouteAnswer => ({ status: 400, json: { error: { message } } })

  it('is assumed, and corrected by the refusal for length', async () => {
    const words = 'maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.'
    const { client } = await serve([tooLong(words)])
    expect(await client.contextWindow(never)).toEqual({ tokens: 32_768, source: 'assumed' })
    expect((await run(client)).code).toBe('model/context-overflow')
    expect(await client.contextWindow(never)).toEqual({ tokens: 8_192, source: 'server' })
  })

  it('is halved where the refusal has no figure, down to the least that makes sense', async () => {
    const words = 'Please reduce the length of the messages.'
    const { client } = await serve(Array.from({ length: 6 }, () => tooLong(words)))
    const seen: number[] = []
    for (let time = 0; time < 6; time++) {
      await run(client)
      seen.push((await client.contextWindow(never)).tokens)
    }
    expect(seen).toEqual([16_384, 8_192, 4_096, 2_048, 2_048, 2_048])
  })

  it('is what the name of the model says, and before that what the user says', async () => {
    const windowOfName = () => 128_000
    const named = await serve([], { windowOfName })
    expect(await named.client.contextWindow(never)).toEqual({ tokens: 128_000, source: 'name' })
    const own = await serve([], { windowOfName, contextTokens: 200_000 })
    expect(await own.client.contextWindow(never)).toEqual({ tokens: 200_000, source: 'profile' })
  })
})
