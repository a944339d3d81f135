import { afterEach, describe, expect, it } from 'vitest'
import {
  createFakeLlamaServer,
  type FakeLlamaServer,
  type LlamaOptions,
} from '../../fakes/servers/fake-llama-server.ts'
import { eventsOf } from '../../fakes/servers/llama/recorded/recording.ts'

let fake: FakeLlamaServer
afterEach(() => fake.close())

async function start(options: LlamaOptions): Promise<void> {
  fake = await createFakeLlamaServer(options)
}

async function post(path: string, body: unknown): Promise<string> {
  const response = await fetch(fake.address + path, { method: 'POST', body: JSON.stringify(body) })
  return response.text()
}

type Chunk = {
  content?: string
  stop?: boolean
  stop_type?: string
  choices?: { finish_reason: string | null; delta: Record<string, unknown> }[]
}

async function stream(path: string, body: object): Promise<Chunk[]> {
  const events = eventsOf(await post(path, { ...body, stream: true }))
  return events.filter((event): event is Chunk => typeof event === 'object')
}

async function chat(body: object): Promise<Record<string, unknown>[]> {
  const messages = [{ role: 'user', content: 'x' }]
  const chunks = await stream('/v1/chat/completions', { messages, ...body })
  return chunks.flatMap(({ choices = [] }) => choices.map(({ delta }) => delta))
}

const tools = [
  {
    type: 'function',
    function: {
      name: 'look',
      parameters: {
        type: 'object',
        properties: { at: { type: 'string' }, far: { type: 'integer' } },
        required: ['at'],
      },
    },
  },
]

describe('text in tokens', () => {
  it('comes back from its ids, whatever it is', async () => {
    await start({})
    const text = 'Hello, world!\n\n  猫🐈‍⬛ ヂ「吾輩」 naïve_1 <|im_end|> 2026'
    const { tokens } = JSON.parse(await post('/tokenize', { content: text }))
    expect(JSON.parse(await post('/detokenize', { tokens }))).toEqual({ content: text })
  })

  it('may end inside a character', async () => {
    await start({})
    const { tokens } = JSON.parse(await post('/tokenize', { content: '猫', with_pieces: true }))
    expect(tokens.map(({ piece }: { piece: unknown }) => piece)).toEqual([[0xe7, 0x8c], [0xab]])
    const cut = JSON.parse(await post('/detokenize', { tokens: [tokens[0].id] }))
    expect(cut.content).toBe('\ufffd')
  })

  it('is streamed in whole characters, and a cut one is dropped; without a stream it is replaced', async () => {
    await start({ answer: () => ({ text: 'ねこ猫' }) })
    const asked = { prompt: 'x', n_predict: 3 }
    const said = await stream('/completion', asked)
    expect(said.map(({ content }) => content)).toEqual(['ね', 'こ', ''])
    expect(JSON.parse(await post('/completion', asked)).content).toBe('ねこ\ufffd')
  })

  it('sends no role where the first token is a part of a character', async () => {
    await start({ answer: () => ({ text: '猫だ' }) })
    expect(await chat({})).toEqual([{ content: '猫' }, { content: 'だ' }, {}])
    fake.options.answer = () => ({ text: 'だ' })
    expect(await chat({})).toEqual([{ role: 'assistant', content: null }, { content: 'だ' }, {}])
  })
})

describe('stops', () => {
  it('hold back what may become one, and cut it off', async () => {
    await start({ answer: () => ({ text: ' Paris. Paris is' }) })
    const asked = { prompt: 'x', stop: ['Paris is'] }
    const said = await stream('/completion', asked)
    expect(said.map(({ content }) => content)).toEqual([' ', 'Paris.', ' ', ''])
    expect(said.at(-1)).toMatchObject({ stop: true, stop_type: 'word', stopping_word: 'Paris is' })
  })

  it('that come to nothing are said at the end', async () => {
    await start({ answer: () => ({ text: 'a Paris' }) })
    const said = await stream('/completion', { prompt: 'x', stop: ['Paris is'] })
    expect(said.map(({ content }) => content).join('')).toBe('a Paris')
    expect(said.at(-1)).toMatchObject({ stop_type: 'eos' })
  })
})

describe('calls', () => {
  it('are text for a template without tools, and where tools are not to be used', async () => {
    const call = { name: 'look', arguments: { at: 'sea' } }
    await start({ template: 'no-tools', answer: () => ({ toolCalls: [call] }) })
    const asText = '<tool_call>\n{"name": "look", "arguments": {"at": "sea"}}\n</tool_call>'
    const joined = (deltas: Record<string, unknown>[]) => deltas.map(({ content }) => content ?? '').join('')
    expect(joined(await chat({ tools }))).toBe(asText)
    await fake.close()
    await start({ template: 'tools', answer: () => ({ toolCalls: [call] }) })
    expect(joined(await chat({ tools, tool_choice: 'none' }))).toBe(asText)
    expect(joined(await chat({ tools }))).toBe('')
  })

  it('begin with id and name; a cut leaves broken arguments and the reason "length"', async () => {
    await start({ answer: () => ({ toolCalls: [{ name: 'look', arguments: { at: 'sea', far: 12 } }] }) })
    const reply = JSON.parse(
      await post('/v1/chat/completions', {
        messages: [{ role: 'user', content: 'x' }],
        tools,
        max_tokens: 14,
      }),
    )
    const [choice] = reply.choices
    expect(choice.finish_reason).toBe('length')
    const [made] = choice.message.tool_calls
    expect(made.function.name).toBe('look')
    expect(() => JSON.parse(made.function.arguments)).toThrow('JSON')
    const [, first, second] = await chat({ tools })
    expect(first).toMatchObject({ tool_calls: [{ index: 0, id: expect.any(String), type: 'function' }] })
    expect(second).toEqual({ tool_calls: [{ index: 0, function: { arguments: expect.any(String) } }] })
  })

  it('that are required come after prose: a short limit ends before them', async () => {
    await start({})
    const short = await chat({ tools, tool_choice: 'required', max_tokens: 20 })
    expect(short.every((delta) => delta.tool_calls === undefined)).toBe(true)
    const long = await chat({ tools, tool_choice: 'required' })
    const argumentsText = long
      .flatMap((delta) => (delta.tool_calls ?? []) as { function: { arguments: string } }[])
      .map((call) => call.function.arguments)
      .join('')
    expect(JSON.parse(argumentsText)).toEqual({ at: 'a' })
  })
})

describe('thoughts', () => {
  it('are a field of their own, or tags in the text where that is asked for', async () => {
    await start({ template: 'thinking', answer: () => ({ reasoning: 'hm', text: 'ok' }) })
    const thought = (deltas: Record<string, unknown>[]) =>
      deltas.map((delta) => delta.reasoning_content ?? '').join('')
    const said = (deltas: Record<string, unknown>[]) => deltas.map((delta) => delta.content ?? '').join('')
    const deltas = await chat({})
    expect([thought(deltas), said(deltas)]).toEqual(['hm\n', 'ok'])
    expect(said(await chat({ reasoning_format: 'none' }))).toBe('<think>\nhm\n</think>\n\nok')
  })
})

describe('a schema that no script answers', () => {
  it('is answered with a value that it takes', async () => {
    await start({})
    const schema = {
      type: 'object',
      properties: {
        kind: { enum: ['b', 'a'] },
        count: { type: 'integer', minimum: 3, maximum: 9 },
        names: { type: 'array', items: { $ref: '#/$defs/name' }, minItems: 2 },
        maybe: { anyOf: [{ type: 'string', minLength: 4 }, { type: 'null' }] },
        optional: { type: 'boolean' },
      },
      required: ['kind', 'count', 'names', 'maybe'],
      $defs: { name: { type: 'string', maxLength: 1 } },
    }
    const wanted = { kind: 'b', count: 3, names: ['a', 'a'], maybe: 'aaaa' }
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } }
    const deltas = await chat({ response_format })
    expect(JSON.parse(deltas.map((delta) => delta.content ?? '').join(''))).toEqual(wanted)
    const plain = JSON.parse(await post('/completion', { prompt: 'x', json_schema: schema }))
    expect(JSON.parse(plain.content)).toEqual(wanted)
  })

  it('is told to the script that does', async () => {
    await start({
      answer: ({ schema, index }) => ({ text: JSON.stringify({ index, has: schema !== null }) }),
    })
    await chat({})
    const deltas = await chat({ response_format: { type: 'json_object' } })
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe('{"index":1,"has":true}')
  })
})
