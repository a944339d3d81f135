/** Control tokens that only the model's own tokenizer knows are broken in what is not ours, whichever server it is. */
import { afterEach, describe, expect, it } from 'vitest'
import { createFakeLlamaServer } from '../../../../tests/fakes/fake-llama-server.ts'
import { createRouteServer, type RouteAnswer, type Routes } from '../../../../tests/fakes/route-server.ts'
import { AppError } from '../../../shared/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { type ChatRequest, type ModelEvent, plainPrompt } from '../client/model-client.ts'
import { KoboldClient } from '../kobold/kobold-client.ts'
import { OpenaiClient } from '../openai/openai-client.ts'
import { controlStringsOf } from './break-control-strings.ts'
import { MarkerCheck, onlySpecial } from './marker-check.ts'
import { RequestQueue } from './request-queue.ts'

const never = new AbortController().signal
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const common = {
  sampler: { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 },
  maxTokens: 8,
  stops: [],
  seed: 1,
}
const timeouts = { connectMs: 1_000, firstTokenMs: 3_000, idleMs: 3_000 }
const options = {
  controls: controlStringsOf([]),
  key: async () => undefined,
  contextTokens: undefined,
  timeouts,
}
/** Neither a shape nor the table has the first two. */
const text = 'a <Zug> b ◁user▷ c <div> d'
const broken = 'a <\u2060Zug> b ◁\u2060user▷ c <div> d'

function openai(address: string, flavour: 'llama.cpp' | 'vllm' | 'lm-studio'): OpenaiClient {
  const client = new OpenaiClient(
    { clock: systemClock, queue: new RequestQueue() },
    { ...options, address, model: 'm', flavour, canCallTools: undefined },
  )
  closing.push(() => client.dispose())
  return client
}

async function all(events: AsyncIterable<ModelEvent>): Promise<void> {
  for await (const _event of events);
}

function chatOf(content: string): ChatRequest {
  const call = { id: 'c', name: 'read_file', arguments: JSON.stringify({ path: content }) }
  const messages: ChatRequest['messages'] = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: '', toolCalls: [call] },
    { role: 'tool', callId: 'c', content },
  ]
  return { ...common, messages }
}

async function routes(answers: Routes) {
  const server = await createRouteServer(answers)
  closing.push(() => server.close())
  return server
}

describe('on llama.cpp', () => {
  it('the tokenizer is asked once about each string, with and without special tokens', async () => {
    const fake = await createFakeLlamaServer({ specialTokens: ['<Zug>', '◁user▷'] })
    closing.push(() => fake.close())
    const client = openai(fake.address, 'llama.cpp')
    const sent = (path: string) => fake.requests.filter((each) => each.path === path).map(({ body }) => body)
    await all(client.complete({ ...common, prompt: plainPrompt(text) }, never))
    expect(sent('/completion').map((body) => (body as { prompt: string }).prompt)).toEqual([broken])
    await all(client.chat(chatOf(text), never))
    const bodies = JSON.stringify(sent('/v1/chat/completions'))
    expect(bodies).toContain(broken)
    expect(bodies).not.toMatch(/<Zug>|◁user▷/)
    const asked = sent('/tokenize').filter((body) => (body as { with_pieces?: boolean }).with_pieces === true)
    expect(asked).toMatchObject([
      { content: '<Zug>\n◁user▷\n<div>', parse_special: true },
      { content: '<Zug>\n◁user▷\n<div>', parse_special: false },
    ])
  })
})

it('fifty turns of a growing conversation ask the tokenizer twice in all', async () => {
  const fake = await createFakeLlamaServer({ specialTokens: ['<Zug>'], contextTokens: 32_768 })
  closing.push(() => fake.close())
  const client = openai(fake.address, 'llama.cpp')
  const messages: ChatRequest['messages'][number][] = []
  for (let turn = 0; turn < 50; turn += 1) {
    messages.push({ role: 'user', content: `${turn} <Zug> <div> Map<string>` })
    await all(client.chat({ ...common, maxTokens: 1, promptTokens: 1, messages: [...messages] }, never))
    messages.push({ role: 'assistant', content: 'x' })
  }
  const paths = fake.requests.map(({ path }) => path)
  expect(paths.filter((path) => path === '/v1/chat/completions')).toHaveLength(50)
  expect(paths.filter((path) => path === '/tokenize')).toHaveLength(2)
})

describe('on vLLM', () => {
  const done = { events: [{ choices: [{ index: 0, text: 'x', finish_reason: 'stop' }] }] }

  it('it is asked for the texts of the tokens', async () => {
    const server = await routes({
      'GET /v1/models': { json: { object: 'list', data: [{ id: 'm', max_model_len: 4096 }] } },
      'POST /tokenize': {
        json: { count: 3, tokens: [1, 2, 3], token_strs: ['<Zug>', '◁user▷', '<', 'div'] },
      },
      'POST /v1/completions': done,
    })
    await all(openai(server.address, 'vllm').complete({ ...common, prompt: plainPrompt(text) }, never))
    const sent = server.requests.filter(({ path }) => path === '/v1/completions')
    expect(sent.map(({ body }) => (body as { prompt: string }).prompt)).toEqual([broken])
  })

  it('one without a tokenizer to ask is asked once', async () => {
    const server = await routes({
      'GET /v1/models': { json: { object: 'list', data: [{ id: 'm', max_model_len: 4096 }] } },
      'POST /v1/completions': done,
    })
    const client = openai(server.address, 'vllm')
    for (const each of ['<Zug>', '<Andere>']) {
      await all(client.complete({ ...common, prompt: plainPrompt(each) }, never))
    }
    expect(server.requests.filter(({ path }) => path === '/tokenize')).toHaveLength(1)
  })
})

it('on KoboldCpp what counts as one token is one', async () => {
  const counted: string[] = []
  const count = (prompt: string): number => (/^(?:<Zug>|◁user▷)$/.test(prompt) ? 1 : prompt.length + 1)
  const answers: Record<string, (body: Record<string, string>) => unknown> = {
    '/api/extra/true_max_context_length': () => ({ value: 4096 }),
    '/api/extra/tokencount': ({ prompt = '' }) => {
      counted.push(prompt)
      return { value: count(prompt), ids: [] }
    },
    '/api/extra/generate/check': () => ({ results: [{ text: 'x' }] }),
    '/api/extra/perf': () => ({ last_token_count: 1, last_seed: 1, stop_reason: 1 }),
  }
  const server = await routes({
    'POST /api/extra/generate/stream': { events: [{ token: 'x', finish_reason: 'stop' }] },
    else: ({ path, body }): RouteAnswer => ({
      json: answers[path]?.((body ?? {}) as Record<string, string>) ?? {},
    }),
  })
  const template = { id: 'p', name: 'p', wrapper: '{{inner}}', stops: [] }
  const client = new KoboldClient(
    { clock: systemClock, random: systemRandom },
    { ...options, address: server.address, template: { ...template } as never },
  )
  closing.push(() => client.dispose())
  for (let round = 0; round < 2; round += 1) {
    await all(client.complete({ ...common, prompt: plainPrompt(text) }, never)).catch(() => undefined)
  }
  const sent = server.requests.filter(({ path }) => path === '/api/extra/generate/stream')
  expect(sent.map(({ body }) => (body as { prompt: string }).prompt)).toEqual(sent.map(() => broken))
  expect(sent.length).toBeGreaterThan(0)
  expect(counted.filter((prompt) => prompt === '<div>')).toHaveLength(1)
})

describe('MarkerCheck', () => {
  it('breaks what the server could not be asked about, and asks again', async () => {
    let isDown = true
    const asked: string[][] = []
    const check = new MarkerCheck(async (candidates) => {
      asked.push([...candidates])
      if (isDown) throw new AppError({ code: 'model/unreachable', address: 'http://x' })
      return ['<Zug>']
    }, 2)
    expect(await check.learn(['<a1> <Zug> <b1>'], never)).toEqual(['<a1>', '<Zug>', '<b1>'])
    isDown = false
    // The third is over the limit of one request.
    expect(await check.learn(['<a1> <Zug> <b1>'], never)).toEqual(['<Zug>', '<b1>'])
    expect(await check.learn(['<a1> <Zug> <b1>'], never)).toEqual(['<Zug>'])
    expect(asked).toEqual([['<a1>', '<Zug>'], ['<a1>', '<Zug>'], ['<b1>']])
  })

  it('takes for tokens only pieces that special parsing makes', () => {
    const special = ['<Zug>', '\n', '<', 'div', '>\n', '(x']
    expect(onlySpecial(['<Zug>', '<div>'], special, ['<', 'Z', 'ug', '>\n', '<', 'div', '>'])).toEqual([
      '<Zug>',
    ])
  })
})
