import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type ChatRequest,
  type CompletionRequest,
  type ModelEvent,
  plainPrompt,
  type ToolCall,
} from '../../src/main/models/client/model-client.ts'
import { isAppError } from '../../src/shared/errors.ts'
import { type ModelRig, modelRigs } from '../fakes/rigs/models/model-rigs.ts'

const never = new AbortController().signal
const sampler = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05, repeatPenalty: 1.05, repeatRange: 64 }
const common = { sampler, maxTokens: 24, stops: [], seed: 7 }
const Decision = z.object({
  tool: z.enum(['read', 'write']),
  args: z.object({ path: z.string().max(12), lines: z.array(z.int()).max(3) }),
  isSure: z.boolean(),
})
const constraint = { kind: 'json-schema', schema: z.toJSONSchema(Decision) } as const
/** How often each server obeys the schema in each way; `TSUGI_SOAK` plays the long series. */
const schemaSeeds = process.env.TSUGI_SOAK === undefined ? 2 : 50
const tool = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}

function completion(changes: Partial<CompletionRequest> = {}): CompletionRequest {
  return { ...common, prompt: plainPrompt('It was a dark and stormy night.\n'), ...changes }
}

function chat(changes: Partial<ChatRequest> = {}): ChatRequest {
  const messages: ChatRequest['messages'] = [
    { role: 'system', content: 'You tell stories.' },
    { role: 'user', content: 'Tell me of a night.' },
  ]
  return { ...common, messages, ...changes }
}

async function run(
  events: AsyncIterable<ModelEvent>,
  onEvent: (event: ModelEvent) => void = () => undefined,
) {
  const seen: ModelEvent[] = []
  let text = ''
  const calls: ToolCall[] = []
  for await (const event of events) {
    seen.push(event)
    if (event.type === 'text') text += event.text
    if (event.type === 'replace') text = event.text
    if (event.type === 'tool-call') calls.push(event.call)
    onEvent(event)
  }
  const usage = seen.find((event) => event.type === 'usage')
  const last = seen.at(-1)
  return {
    seen,
    text,
    calls,
    usage: usage?.type === 'usage' ? usage.usage : undefined,
    done: last?.type === 'done' ? last.stopReason : undefined,
  }
}

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (isAppError(error)) return error.info.code
    throw error
  }
  return 'no failure'
}

describe.each(Object.entries(modelRigs))('%s', (_, open) => {
  let rig: ModelRig
  beforeAll(async () => {
    rig = await open()
    await rig.client.describe(never)
  })
  afterAll(() => rig.close())

  it('tells its name, its window and what it can do', async () => {
    const { client } = rig
    expect(await client.describe(never)).toMatchObject({ modelName: expect.any(String), needsKey: false })
    const { capabilities } = client
    expect(capabilities.constraints.includes('json-schema')).toBe(rig.canConstrain !== false)
    expect([client.countTokens !== null, client.countChat !== null]).toEqual([
      capabilities.hasCounter,
      capabilities.hasCounter,
    ])
  })

  it.each(['complete', 'chat'] as const)(
    'writes text by %s: phases, text, figures, the end',
    async (method) => {
      const events =
        method === 'chat' ? rig.client.chat(chat(), never) : rig.client.complete(completion(), never)
      const { seen, text, usage, done } = await run(events)
      const types = seen.map(({ type }) => type)
      expect(text).not.toBe('')
      expect(['stop', 'length']).toContain(done)
      expect(types.filter((type) => type === 'done')).toHaveLength(1)
      expect(types.slice(-2)).toEqual(['usage', 'done'])
      const phases = seen.flatMap((event) => (event.type === 'phase' ? [event.phase] : []))
      expect(phases.indexOf('reading')).toBeLessThan(phases.indexOf('writing'))
      expect(types.indexOf('phase')).toBeLessThan(types.indexOf('text'))
      expect(usage?.promptTokens).toBeGreaterThan(0)
      expect(usage?.completionTokens).toBeGreaterThan(0)
      expect(usage?.completionTokens).toBeLessThanOrEqual(common.maxTokens + 1)
    },
  )

  it('ends at its limit, and at a stop sequence without showing any of it', async () => {
    const { client } = rig
    const free = await run(client.complete(completion({ maxTokens: 12, isEosBanned: true }), never))
    expect(free.done).toBe('length')
    const stop = [...free.text].slice(3, 5).join('')
    const cut = await run(
      client.complete(completion({ maxTokens: 12, isEosBanned: true, stops: ['', stop] }), never),
    )
    expect(cut.text).toBe(free.text.slice(0, free.text.indexOf(stop)))
    // Some servers do not distinguish a stop sequence from the model’s own end.
    expect(['stop-sequence', 'stop']).toContain(cut.done)
  })

  it('counts as it sends, or says that it does not count', async () => {
    const { countTokens, countChat, capabilities } = rig.client
    if (countTokens === null || countChat === null) return expect(capabilities.hasCounter).toBe(false)
    const asked = chat()
    const { usage } = await run(rig.client.chat(asked, never))
    expect(usage).toMatchObject({ promptTokens: await countChat(asked, never), isExact: true })
    const { prompt } = completion()
    const plain = await run(rig.client.complete(completion(), never))
    expect(plain.usage?.promptTokens).toBe(await countTokens(prompt, never))
    const longer = await countTokens('one two three four', never, { isPiece: true })
    expect(longer).toBeGreaterThan(await countTokens('one', never, { isPiece: true }))
  })

  it.each(['complete', 'chat'] as const)('obeys a schema by %s, again and again', async (method) => {
    // Of a model that cannot, the form is requested in words and the answer is checked.
    if (rig.canConstrain === false) return
    for (let seed = 1; seed <= schemaSeeds; seed += 1) {
      const changes = { constraint, maxTokens: 400, seed, isThinkingOff: true }
      const events =
        method === 'chat'
          ? rig.client.chat(chat(changes), never)
          : rig.client.complete(completion(changes), never)
      const { text } = await run(events)
      expect(Decision.safeParse(JSON.parse(text)).error).toBeUndefined()
    }
  })

  it('keeps the text of a stop, lets its server go, and answers again', async () => {
    const stop = new AbortController()
    const long = { maxTokens: 600, isEosBanned: true }
    let length = 0
    const { text, done, calls } = await run(rig.client.chat(chat(long), stop.signal), (event) => {
      if (event.type === 'text') length += event.text.length
      if (length > 3) stop.abort()
    })
    expect([done, calls]).toEqual(['aborted', []])
    expect(text).not.toBe('')
    await expect.poll(() => rig.isIdle()).toBe(true)
    expect((await run(rig.client.chat(chat(), never))).text).not.toBe('')
  })

  it('stops before it began, too', async () => {
    const stopped = AbortSignal.abort()
    expect((await run(rig.client.chat(chat(), stopped))).done).toBe('aborted')
  })

  it('answers one after the other, what waits for an answer before what does not', async () => {
    const { client } = rig
    const ended: string[] = []
    const ask = async (name: string, changes: Partial<ChatRequest>) => {
      await run(client.chat(chat({ maxTokens: 4, ...changes }), never))
      ended.push(name)
    }
    await Promise.all([ask('first', {}), ask('background', { priority: 'background' }), ask('second', {})])
    expect(ended).toEqual(['first', 'second', 'background'])
  })

  it('reads the beginning of a conversation once, and says by whose count', async () => {
    const { client } = rig
    const conversation = 'long'
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'The sea is deep and the night is long. '.repeat(12) },
      { role: 'user', content: 'Go on.' },
    ]
    const first = await run(client.chat(chat({ messages, conversation }), never))
    const longer: ChatRequest['messages'] = [
      ...messages,
      { role: 'assistant', content: first.text },
      { role: 'user', content: 'And then?' },
    ]
    const { usage } = await run(client.chat(chat({ messages: longer, conversation }), never))
    expect(usage?.reusedTokens ?? 0).toBeGreaterThan((first.usage?.promptTokens ?? 0) * 0.7)
    if (client.capabilities.hasReuseCount) expect(usage?.isReuseEstimated).toBe(false)
  })

  it('refuses what no backend may see, and what does not fit where it can tell', async () => {
    const { client } = rig
    const ask = (changes: Partial<ChatRequest>) => failure(run(client.chat(chat(changes), never)))
    expect(await ask({ maxTokens: 0 })).toBe('model/bad-request')
    expect(await ask({ seed: -1 })).toBe('model/bad-request')
    const messages = [{ role: 'user', content: '海'.repeat(2_100) }] as const
    if (client.capabilities.hasCounter) expect(await ask({ messages })).toBe('model/context-overflow')
  })

  it('calls tools by itself, whole, or leaves them to constrained output', async () => {
    const { client, sayCall } = rig
    expect(client.capabilities.hasTools).toBe(sayCall !== undefined)
    sayCall?.({ name: 'read_file', arguments: '{"path": "海.txt"}' })
    const { calls, seen } = await run(client.chat(chat({ tools: [tool], maxTokens: 200 }), never))
    const wanted = { id: expect.any(String), name: 'read_file', arguments: expect.any(String) }
    expect(calls).toEqual(sayCall === undefined ? [] : [wanted])
    for (const call of calls) expect(JSON.parse(call.arguments)).toEqual({ path: '海.txt' })
    expect(seen.filter(({ type }) => type === 'text').length > 0).toBe(sayCall === undefined)
  })
})

describe.each(Object.entries(modelRigs).filter(([name]) => name !== 'the demo'))(
  '%s that dies',
  (_, open) => {
    it('fails the open request by name, after its text', async () => {
      const rig = await open()
      let text = ''
      const dying = run(rig.client.chat(chat({ maxTokens: 900, isEosBanned: true }), never), (event) => {
        if (event.type !== 'text') return
        if (text === '') rig.die()
        text += event.text
      })
      expect(['model/cut', 'model/engine-crashed']).toContain(await failure(dying))
      expect(text).not.toBe('')
      await rig.close()
    })
  },
)
