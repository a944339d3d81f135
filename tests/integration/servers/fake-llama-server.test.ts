import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createFakeLlamaServer, type FakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'
import { exchange, type RawAnswer } from '../../fakes/servers/llama/recorded/raw-exchange.ts'
import { jsonOf, recordedAnswer } from '../../fakes/servers/llama/recorded/recorded-words.ts'
import {
  bodyOf,
  type Exchange,
  eventsOf,
  isExchange,
  optionsOf,
  recorded,
  streamParts,
} from '../../fakes/servers/llama/recorded/recording.ts'

/** Exchanges that the fake does not answer as recorded, with the reasons. */
const different: [RegExp, string][] = [
  [
    /^(anthropic|responses|count_tokens_anthropic|tool_call_(anthropic|responses))/,
    'other APIs that are not used',
  ],
  [/^conv_id_/, 'X-Conversation-Id is never sent: a generation would survive its asker'],
  [/^tekken_|^utf8_(tekken_free|chain_plain)/, 'ids and pieces of another vocabulary, with a BOS'],
  [/^(array_prompt|array_prompt_stream|oai_array)$/, 'several prompts in one request'],
  [
    /^(metrics_on|slot_(save|restore|erase|save_traversal|unknown_action)|emb_ok)$/,
    'routes behind switches that are not used',
  ],
  [/^shift_(n_predict|after)/, '--context-shift, which spoils the cache'],
  [/^cache_reuse_middle_cut$/, '--cache-reuse'],
  [/^(tok_body|chat)_10MB$/, 'ten megabytes, which take seconds'],
  [/^keepalive_|^expect_100$/, 'what a connection does over time: the life tests do it'],
  [/^router_/, 'router mode is one of the other servers'],
  [
    /^(polled|quiet)_disconnect|^cancelq_queued|^sig(kill|term)|^after_kill|^kv_shared|^p2_nonstream_closed/,
    'ends of connections: the life tests do them',
  ],
]

const exchanges = recorded.filter(isExchange)
const replayed = exchanges.filter(({ name }) => !different.some(([names]) => names.test(name)))
/** Entries whose cache depends on the ones before them, on one server. */
const sequences = Map.groupBy(
  replayed.filter(({ name }) => isInSequence(name)),
  ({ server }) => server,
)
type HeldTo = { required?: string[] }
type Body = Record<string, unknown>
type Reply = { content?: string; choices?: { text?: string; message?: { content: string } }[] }

/** Entries that the server constrained, by a schema or by a grammar of fixed words. */
const constrained = replayed.flatMap((entry): [string, Exchange, Body][] => {
  const body = jsonOf(entry.request.body)
  if (body === null || !entry.response.status_line?.includes(' 200 ')) return []
  const hasWords = typeof body.grammar === 'string' && fixedWords(body.grammar).length > 0
  const isThought = entry.server.includes('qwen3')
  return schemaOf(body) !== null || (hasWords && !isThought) ? [[entry.name, entry, body]] : []
})
const single = replayed.filter(({ name }) => !isInSequence(name))

describe.skipIf(recorded.length === 0)(
  'the fake llama-server answers as recorded (skipped without the recording)',
  () => {
    it('replays most of the recording', () => {
      expect(recorded).toHaveLength(544)
      expect(exchanges).toHaveLength(518)
      expect(replayed).toHaveLength(441)
    })

    describe('each by itself', () => {
      let fake: FakeLlamaServer | undefined
      afterEach(() => fake?.close())

      it.each(single.map((entry) => [entry.name, entry] as const))('%s', async (_name, entry) => {
        fake = await createFakeLlamaServer(optionsOf(entry))
        await prepare(fake, entry)
        compare(entry, await replay(fake, entry))
      })
    })

    describe.each([...sequences.keys()])('the prompt cache of %s', (server) => {
      const entries = sequences.get(server) ?? []
      let fake: FakeLlamaServer | undefined
      afterAll(() => fake?.close())

      it.each(entries.map((entry) => [entry.name, entry] as const))('%s', async (_name, entry) => {
        fake ??= await createFakeLlamaServer(optionsOf(entry))
        compare(entry, await replay(fake, entry))
      })
    })
    describe('without words of the recording', () => {
      let fake: FakeLlamaServer | undefined
      afterEach(() => fake?.close())

      it.each(constrained)('%s keeps to what it was held to', async (_name, entry, body) => {
        fake = await createFakeLlamaServer(optionsOf(entry))
        // Unlimited and whole, so that the sample is all there.
        const { n_predict: _n, max_tokens: _max, stream: _stream, response_fields: _fields, ...rest } = body
        const response = await fetch(fake.address + entry.request.path, {
          method: 'POST',
          body: JSON.stringify(rest),
        })
        const text = saidIn(await response.json())
        const schema = schemaOf(body)
        if (schema === null) expect(fixedWords(String(body.grammar))).toContain(text)
        else expect(Object.keys(JSON.parse(text))).toEqual(expect.arrayContaining(schema.required ?? []))
      })
    })
  },
)

function isInSequence(name: string): boolean {
  return /^cache_|^auto_1500/.test(name)
}

async function replay(fake: FakeLlamaServer, entry: Exchange): Promise<RawAnswer> {
  const answer = recordedAnswer(entry)
  if (answer !== null) fake.options.answer = () => answer
  else delete fake.options.answer
  const { method, path, headers } = entry.request
  return exchange(fake.address, { method, path, headers, body: bodyOf(entry.request) })
}

/** Brings the server into the state that the entry was recorded in. */
async function prepare(fake: FakeLlamaServer, { name }: Exchange): Promise<void> {
  if (name === 'slots_after') await complete(fake, { prompt: 'x', n_predict: 1, n_probs: 1 })
  if (!/^(busy|auto_busy)_/.test(name) || name === 'busy_running_stream') return
  fake.options.tokenMs = 2
  const running = { prompt: 'Once upon a time', n_predict: 60, stream: true, ignore_eos: true }
  const { body } = await complete(fake, running)
  await body?.getReader().read()
}

function complete(fake: FakeLlamaServer, body: unknown): Promise<Response> {
  return fetch(`${fake.address}/completion`, { method: 'POST', body: JSON.stringify(body) })
}

function compare(entry: Exchange, got: RawAnswer): void {
  const { response } = entry
  expect(got.status).toBe(response.status_line)
  expect(got.headers.map(comparable)).toEqual(response.headers.map(comparable))
  expect(got.isClosed).toBe(response.connection_closed_by === 'server')
  const forgotten = vocabularyWords.test(entry.name) ? /^(content|prompt)$/ : /^$/
  const shape = (value: unknown) => shapeOf(value, { exact: exactNumbers(entry), forgotten })
  const wanted = response.body ?? ''
  if (response.reads !== undefined) {
    const events = merged(eventsOf(got.body)).map(shape)
    const [before = [], after] = streamParts(response).map((part) => merged(eventsOf(part)).map(shape))
    expect(after === undefined ? events : events.slice(0, before.length)).toEqual(before)
    if (after !== undefined) expect(events.slice(-after.length)).toEqual(after)
  } else if (!/^[[{]/.test(wanted) || isLiteral(entry)) {
    expect(comparableText(entry, got.body)).toBe(comparableText(entry, wanted))
  } else {
    expect(shape(JSON.parse(got.body))).toEqual(shape(JSON.parse(wanted)))
  }
}

/** Errors and rendered prompts are the same to the letter. */
function isLiteral({ request, response }: Exchange): boolean {
  return !response.status_line?.includes(' 200 ') || request.path === '/apply-template'
}

/** The default system message is three tokens longer in the recorded vocabulary. */
function comparableText({ name }: Exchange, text: string): string {
  return name.startsWith('chat_over_context') ? text.replaceAll(/\b\d{4}\b/g, 'some') : text
}

function comparable([name, value]: [string, string]): string {
  return `${name}: ${name === 'Content-Length' && value !== '0' ? 'some' : value}`
}

/** Which numbers must be the same; the others come from another vocabulary or from what was asked before. */
function exactNumbers({ name, response }: Exchange): RegExp {
  const isOtherwiseCut = /^cache_(chat|p2_id_slot_9|reuse_(head_cut|back2))/.test(name)
  if (isInSequence(name) && !isOtherwiseCut) return /_n$|^tokens_|_tokens$|^id_slot$/
  const hasHiddenTokens = /tool_calls":\[|reasoning_content/.test(
    response.body ?? streamParts(response).join(''),
  )
  return hasHiddenTokens || /^(utf8|rf)_/.test(name)
    ? /^index$/
    : /^(index|tokens_predicted|completion_tokens|predicted_n|n_ctx)$/
}

/** Entries that tell what the recorded vocabulary's ids mean. */
const vocabularyWords = /^(detok|token_prompt|mixed_prompt)/
const changing =
  /^(id|chat_template|media_marker|piece|endpoint_metrics|top_(logprobs|probs)|model_(ftype|path)|[be]os_token)$/

type Sameness = { exact: RegExp; forgotten: RegExp }

/** Types for numbers, in the order of the keys; the words that were scripted stay. */
function shapeOf(value: unknown, sameness: Sameness, key = ''): unknown {
  if (changing.test(key) || sameness.forgotten.test(key)) return 'some'
  if (Array.isArray(value)) {
    return typeof value[0] === 'number' ? ['number'] : value.map((part) => shapeOf(part, sameness, key))
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).map(([name, member]) => [name, shapeOf(member, sameness, name)])
  }
  return typeof value === 'number' && !sameness.exact.test(key) ? 'number' : value
}

type CallChunk = {
  choices?: { delta?: { tool_calls?: { index: number; function: { arguments: string } }[] } }[]
}

/** Where a call's arguments are cut is the vocabulary's: the pieces of one call become one. */
function merged(events: unknown[]): unknown[] {
  const result: unknown[] = []
  for (const event of events) {
    const part = callOf(event)
    const before = callOf(result.at(-1))
    if (part !== undefined && before?.index === part.index && !('id' in part)) {
      before.function.arguments += part.function.arguments
    } else result.push(event)
  }
  return result
}

function callOf(event: unknown) {
  return (event as CallChunk | undefined)?.choices?.[0]?.delta?.tool_calls?.[0]
}

/** The alternatives of a grammar that has nothing but quoted words. */
function fixedWords(grammar: string): string[] {
  if (!/^root ::= "[^"]*"( \| "[^"]*")*$/.test(grammar)) return []
  return [...grammar.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '')
}

/** The schema that the entry's answer must have, `{}` for any JSON; completions ignore `response_format`. */
function schemaOf(body: Body): HeldTo | null {
  const isChat = 'messages' in body
  const format = isChat ? (body.response_format as Body | undefined) : undefined
  if (typeof format === 'object') {
    const wrapped = (format.json_schema as Body | undefined)?.schema
    return (format.type === 'json_schema' ? wrapped : format.schema) ?? {}
  }
  const isLost = !isChat && typeof body.grammar === 'string'
  const schema = isLost ? undefined : (body.json_schema as Body | undefined)
  return schema?.type === 'object' ? schema : null
}

function saidIn(reply: unknown): string {
  const { content, choices = [] } = reply as Reply
  return content ?? choices[0]?.text ?? choices[0]?.message?.content ?? ''
}
