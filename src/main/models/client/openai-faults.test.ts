import { describe, expect, it } from 'vitest'
import { openaiClientOf } from '../../../../tests/fakes/rigs/models/openai-rig.ts'
import { createFakeLlamaServer } from '../../../../tests/fakes/servers/fake-llama-server.ts'
import { type FaultName, faultNames } from '../../../../tests/fakes/servers/llama/answer.ts'
import { flavourServers } from '../../../../tests/fakes/servers/usual-servers.ts'
import { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { type ErrorCode, isAppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import { systemClock } from '../../platform/clock.ts'
import { type ModelEvent, plainPrompt } from './model-client.ts'
import { openaiFault, refusedField } from './openai-faults.ts'
import { retryAfterMs } from './server-http.ts'

const never = new AbortController().signal
const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
/** A clock with waits of a twentieth: the test is about which of them ends a request. */
const quickClock: Clock = {
  ...systemClock,
  setTimeout: (callback, delayMs) => systemClock.setTimeout(callback, delayMs / 20),
}
const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }

/** The expected error of each fault; null: the request succeeds in spite of it. */
const ends: Record<FaultName, ErrorCode | null> = {
  'connection-refused': 'model/unreachable',
  'closed-before-headers': 'model/cut',
  'never-answers': 'model/timeout',
  loading: 'model/busy',
  'busy-queue': null,
  'slow-first-token': null,
  'silent-midway': 'model/timeout',
  'cut-in-text': 'model/cut',
  'cut-in-character': 'model/cut',
  'cut-in-tool-call': 'model/cut',
  'no-end': 'model/cut',
  'no-done': null,
  'error-under-200': 'model/server-error',
  'error-after-generating': 'model/server-error',
  'garbage-sse': 'model/bad-response',
  'not-json': 'model/bad-response',
  'html-page': 'model/bad-response',
  'wrong-content-type': null,
  unauthorized: 'model/unauthorized',
  'not-found': 'model/server-error',
  'context-exceeded': 'model/context-overflow',
  redirect: 'model/bad-response',
}

async function serve(fault: FaultName, flavour: OpenaiFlavour = 'llama.cpp') {
  // Where silence is the fault, no other part can take too long.
  const silenceMs = ends[fault] === 'model/timeout' ? 8_000 : 1_200_000
  const fake = await createFakeLlamaServer({
    pingMs: 20,
    ownRoutes: flavourServers[flavour].ownRoutes,
    fault: ({ path }) => (/completions?$/.test(path) ? fault : undefined),
    answer: ({ tools }) => ({
      text: tools.length > 0 ? [] : ['Well', ' 雨', ' goes', ' on.'],
      toolCalls: tools.length > 0 ? [{ name: 'look', arguments: { at: 'the sea' } }] : [],
    }),
  })
  const client = openaiClientOf(fake, {
    clock: quickClock,
    model: 'smol.gguf',
    flavour,
    timeouts: { connectMs: 600_000, firstTokenMs: silenceMs, idleMs: silenceMs },
  })
  return { fake, client }
}

async function endOf(
  events: AsyncIterable<ModelEvent>,
): Promise<{ code: ErrorCode | null; events: ModelEvent[] }> {
  const seen: ModelEvent[] = []
  try {
    for await (const event of events) seen.push(event)
    return { code: null, events: seen }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { code: error.info.code, events: seen }
  }
}

const common = { sampler, maxTokens: 100, stops: [], seed: 1 }

describe.each(faultNames)('a llama-server with the fault %s', (fault) => {
  it(`ends a chat with ${ends[fault] ?? 'its answer'}`, async () => {
    const { fake, client } = await serve(fault)
    const tools = fault === 'cut-in-tool-call' ? [tool] : []
    const asked = client.chat({ ...common, tools, messages: [{ role: 'user', content: 'Go on.' }] }, never)
    const { code, events } = await endOf(asked)
    expect(code).toBe(ends[fault])
    expect(events.filter(({ type }) => type === 'tool-call')).toEqual([])
    expect(events.at(-1)?.type === 'done').toBe(code === null)
    await expect.poll(() => fake.openSockets).toBe(0)
  })

  it.skipIf(fault === 'cut-in-tool-call')(`ends a completion with ${ends[fault] ?? 'its text'}`, async () => {
    const { client } = await serve(fault)
    const { code } = await endOf(client.complete({ ...common, prompt: plainPrompt('Go') }, never))
    expect(code).toBe(ends[fault])
  })
})

describe.each(OpenaiFlavour.exclude(['llama.cpp']).options)('a server of the flavour %s', (flavour) => {
  it('ends each chat and each completion as a llama-server with the same fault does', async () => {
    const messages = [{ role: 'user' as const, content: 'Go on.' }]
    const found = await Promise.all(
      faultNames.map(async (fault) => {
        const { client } = await serve(fault, flavour)
        const tools = fault === 'cut-in-tool-call' ? [tool] : []
        const chat = await endOf(client.chat({ ...common, tools, messages }, never))
        if (tools.length > 0) return [fault, chat.code, chat.code]
        const completion = await endOf(client.complete({ ...common, prompt: plainPrompt('Go') }, never))
        return [fault, chat.code, completion.code]
      }),
    )
    expect(found).toEqual(faultNames.map((fault) => [fault, ends[fault], ends[fault]]))
  })
})

describe('an error of a server', () => {
  const at = 'https://api.example.com'
  const fault = (status: number, error: unknown) => openaiFault(at, status, JSON.stringify({ error }))

  it('tells an overflow by its figures, in everybody’s words', () => {
    const message =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    expect(fault(400, { message, code: 'context_length_exceeded' }).info).toEqual({
      code: 'model/context-overflow',
      usedTokens: 9000,
      limitTokens: 8192,
    })
  })

  it.each([
    ['prompt is too long: 210000 tokens > 200000 maximum', 200_000],
    ['Range of input length should be [1, 30720]', 30_720],
    ['The model is loaded with context length of only 4096 tokens', 4096],
    ['Please reduce the length of the messages or completion.', 0],
  ])('tells an overflow by the words "%s"', (message, limitTokens) => {
    expect(fault(400, { message }).info).toMatchObject({ code: 'model/context-overflow', limitTokens })
  })

  it.each([
    ['5', 5_000],
    ['0', 0],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
    ['soon', null],
    [undefined, null],
  ])('reads a Retry-After of %j as %j ms', (header, waitMs) => {
    expect(retryAfterMs(header, 10_000)).toBe(waitMs)
  })

  it('tells a field that is refused, also where the error is a sentence', () => {
    const error = fault(400, { message: 'Unsupported value', param: 'temperature' })
    expect([error.info.code, refusedField(error)]).toEqual(['model/bad-request', 'temperature'])
    const flat = JSON.stringify({ object: 'error', message: 'no tools here', code: 400 })
    expect(openaiFault(at, 400, flat).info).toEqual({ code: 'model/bad-request', reason: 'no tools here' })
    expect(fault(400, 'no such model').info).toEqual({ code: 'model/bad-request', reason: 'no such model' })
  })

  it.each([
    ['of OpenAI', { error: { message: 'no such model' } }],
    ['as a sentence', { error: 'no such model' }],
    ['of other frameworks', { detail: 'no such model' }],
    ['of a proxy', { message: 'no such model' }],
  ])('tells what the server said, in the form %s', (_name, body) => {
    expect(openaiFault(at, 500, JSON.stringify(body)).info).toEqual({
      code: 'model/server-error',
      address: at,
      reason: 'HTTP 500: no such model',
    })
    expect(openaiFault(at, 400, JSON.stringify(body)).info).toMatchObject({ code: 'model/bad-request' })
  })

  it.each(['<html>Not here</html>', '404 page not found', '"text"', '{"items":[]}', ''])(
    'tells nothing of a model server in an answer like %j',
    (text) => {
      expect(openaiFault(at, 404, text).info.code).toBe('model/bad-response')
    },
  )

  it('tells limits and wrong keys by their status', () => {
    expect([429, 401, 403, 529].map((status) => fault(status, { message: 'x' }).info.code)).toEqual([
      'model/busy',
      'model/unauthorized',
      'model/unauthorized',
      'model/busy',
    ])
  })
})
