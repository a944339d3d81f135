import { describe, expect, it } from 'vitest'
import { openaiClientOf } from '../../../../tests/fakes/rigs/models/openai-rig.ts'
import {
  createRouteServer,
  type RouteAnswer,
  type Routes,
} from '../../../../tests/fakes/servers/route-server.ts'
import { chatEvents, usualServers } from '../../../../tests/fakes/servers/usual-servers.ts'
import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import type { CompletionRequest, ModelEvent } from '../client/model-client.ts'
import { RequestQueue } from '../completion/request-queue.ts'
import type { OpenaiClientOptions } from './openai-client.ts'

const never = new AbortController().signal
const completionsPath = 'POST /v1/completions'
const chatPath = 'POST /v1/chat/completions'
const sampler = { temperature: 0.7, topK: 0, topP: 0.95, minP: 0.05, repeatPenalty: 1.05, repeatRange: 320 }
async function serve(flavour: OpenaiFlavour, routes: Routes, changes: Partial<OpenaiClientOptions> = {}) {
  const server = await createRouteServer(routes)
  const queue = new RequestQueue()
  const client = openaiClientOf(server, { queue, flavour, ...changes })
  const posts = () =>
    server.requests.filter(({ method, path }) => method === 'POST' && path.startsWith('/v1'))
  return { client, queue, posts }
}

/** Returns the server's answer: a text after a prompt with this many tokens. */
function completed(text: string, promptTokens: number | null): RouteAnswer {
  const usage = { prompt_tokens: promptTokens, completion_tokens: 1 }
  const events = [{ choices: [{ index: 0, text, finish_reason: 'length' }] }]
  return { events: promptTokens === null ? events : [...events, { choices: [], usage }] }
}

const noSuchPath: RouteAnswer = { status: 404, json: { error: { message: 'not a completion model' } } }
const models = (flavour: OpenaiFlavour): Routes =>
  flavour === 'ollama'
    ? usualServers.ollama()
    : flavour === 'lm-studio'
      ? usualServers.lmStudio()
      : flavour === 'vllm'
        ? usualServers.vllm()
        : { 'GET /v1/models': { json: { data: [{ id: 'm' }] } } }

const request: CompletionRequest = {
  prompt: [
    { text: '[INST]', isSpecial: true },
    { text: 'Continue.', isSpecial: false },
    { text: '[/INST]', isSpecial: true },
    { text: 'It was', isSpecial: false },
  ],
  unfinished: { line: 'It was', instruction: 'Write on:\nIt was' },
  sampler,
  maxTokens: 20,
  stops: [],
  seed: 1,
}

async function textOf(events: AsyncIterable<ModelEvent>): Promise<string> {
  let text = ''
  for await (const event of events) if (event.type === 'text') text += event.text
  return text
}

describe.each(['ollama', 'lm-studio', 'vllm', 'other'] as const)('a text goes on at %s', (flavour) => {
  it('by /v1/completions, where that takes the prompt as it is', async () => {
    const routes = { ...models(flavour), [completionsPath]: completed(' late.', 2) }
    const { client, posts } = await serve(flavour, routes)
    expect(await client.findContinuation('background', never)).toBe('completions')
    expect(posts().map(({ path, body }) => [path, body])).toMatchObject([
      ['/v1/completions', { prompt: 'a', max_tokens: 1 }],
    ])
    expect(await textOf(client.complete(request, never))).toBe(' late.')
    expect(posts().at(-1)?.body).toMatchObject({ prompt: '[INST]Continue.[/INST]It was' })
  })

  it.each([
    ['puts a template around', completed('Sure', 12)],
    ['is missing', noSuchPath],
  ])('in a begun answer, where /v1/completions %s and the chat goes on in it', async (_, completions) => {
    const routes: Routes = {
      ...models(flavour),
      [completionsPath]: completions,
      [chatPath]: ({ body }) => {
        const { messages } = body as { messages: { role: string; content: string }[] }
        const last = messages.at(-1)
        if (last?.role !== 'assistant') return chatEvents('Sure, here it is.')
        return chatEvents(last.content === 'It was' ? ' no longer late.' : ' door.')
      },
    }
    const { client, posts } = await serve(flavour, routes)
    expect(await client.findContinuation('background', never)).toBe('prefill')
    expect(posts()).toHaveLength(2)
    expect(posts()[1]?.body).toMatchObject({ max_tokens: 3 })
    expect(await textOf(client.complete(request, never))).toBe(' no longer late.')
    expect(posts().at(-1)?.body).toMatchObject({
      messages: [
        { role: 'user', content: 'Continue.' },
        { role: 'assistant', content: 'It was' },
      ],
    })
  })

  it.each([
    ['begins a new answer', chatEvents('Seven green umbrellas')],
    ['refuses a begun answer', { status: 400, json: { error: { message: 'last role must be user' } } }],
  ])('by an instruction, where the chat %s, without the words that it repeats', async (_, begun) => {
    const routes: Routes = {
      ...models(flavour),
      [completionsPath]: noSuchPath,
      [chatPath]: ({ body }) =>
        JSON.stringify(body).includes('umbrellas') ? begun : chatEvents('It was no longer late.'),
    }
    const { client, posts } = await serve(flavour, routes)
    expect(await client.findContinuation('background', never)).toBe('instruction')
    expect(await textOf(client.complete(request, never))).toBe(' no longer late.')
    expect(posts().at(-1)?.body).toMatchObject({
      messages: [{ role: 'user', content: 'Continue.\n\nWrite on:\nIt was' }],
    })
  })
})

describe('a line that a chat repeats behind its thinking', () => {
  const thinking = '<think>\nWhere was he? It was\n</think>\n\n'

  it.each(['instruction', 'prefill'] as const)('does not come back doubled: %s', async (continuation) => {
    const routes = { ...models('other'), [chatPath]: chatEvents(`${thinking}It was no longer late.`) }
    const { client } = await serve('other', routes, { continuation })
    expect(await textOf(client.complete(request, never))).toBe(' no longer late.')
  })

  it('leaves nothing of itself where the limit ends the answer in it', async () => {
    const words = [...thinking.split(/(?<=\s)/), 'It ']
    const event = (content: string, finish: string | null = null) => ({
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    })
    const events = [...words.map((word) => event(word)), event('', 'length')]
    const routes = { ...models('other'), [chatPath]: { events } }
    const { client } = await serve('other', routes, { continuation: 'instruction' })
    expect(await textOf(client.complete(request, never))).toBe('')
  })
})

describe('what the trial of a continuation finds', () => {
  it('holds without another trial where a profile remembers it', async () => {
    const routes = { ...models('other'), [chatPath]: chatEvents(' late.') }
    const { client, posts } = await serve('other', routes, { continuation: 'prefill' })
    expect(await textOf(client.complete(request, never))).toBe(' late.')
    expect(posts()).toHaveLength(1)
  })

  it.each([
    ['ollama', 'instruction'],
    ['vllm', 'completions'],
  ] as const)(
    'follows the documentation of %s where the tokens are not counted: %s',
    async (flavour, found) => {
      const routes = { ...models(flavour), [completionsPath]: completed('b', null), [chatPath]: noSuchPath }
      const { client } = await serve(flavour, routes)
      expect(await client.findContinuation('foreground', never)).toBe(found)
    },
  )

  it('is nothing where a request at the front needs the model, or where the server fails', async () => {
    const { client, queue } = await serve('other', models('other'))
    const leave = await queue.enter('foreground', never)
    const trial = client.findContinuation('background', never)
    const waiting = queue.enter('foreground', never)
    leave()
    const leaveNext = await waiting
    const stop = new AbortController()
    const stopped = client.findContinuation('background', stop.signal)
    stop.abort()
    await expect(stopped).rejects.toThrow()
    leaveNext()
    expect(await trial).not.toBe('completions')
    const keyless: Routes = { ...models('other'), [completionsPath]: { status: 401, json: {} } }
    await expect(
      (await serve('other', keyless)).client.findContinuation('background', never),
    ).rejects.toThrow('model/unauthorized')
  })

  it('is known of a llama-server without a request to continue', async () => {
    const props = { default_generation_settings: { n_ctx: 4096 }, chat_template: '' }
    const { client, posts } = await serve('llama.cpp', { 'GET /props': { json: props } })
    expect(await client.findContinuation('background', never)).toBe('completions')
    expect(posts()).toEqual([])
  })
})
