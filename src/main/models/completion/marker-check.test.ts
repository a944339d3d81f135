/** Control tokens that only the model's own tokenizer knows are broken in texts that are not ours, for every server. */
import { afterEach, describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { createFakeLlamaServer } from '../../../../tests/fakes/servers/fake-llama-server.ts'
import {
  createRouteServer,
  type RouteAnswer,
  type Routes,
} from '../../../../tests/fakes/servers/route-server.ts'
import { AppError } from '../../../shared/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { type ChatRequest, type ModelEvent, plainPrompt } from '../client/model-client.ts'
import { createKoboldClient } from '../kobold/kobold-client.ts'
import { createOpenaiClient, type OpenaiClient } from '../openai/openai-client.ts'
import { controlStringsOf } from './break-control-strings.ts'
import { createMarkerCheck, markersByPieces } from './marker-check.ts'
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
const timeouts = { connectMs: 20_000, firstTokenMs: 50_000, idleMs: 50_000 }
const options = {
  controls: controlStringsOf([]),
  key: async () => undefined,
  contextTokens: undefined,
  timeouts,
}
/** Neither a shape nor the table has the first two. */
const text = 'a <Zug> b ◁user▷ c <div> d'
const broken = 'a <\u2060Zug> b ◁\u2060user▷ c <div> d'

function openai(address: string, flavour: 'llama.cpp' | 'vllm' | 'lm-studio' | 'other'): OpenaiClient {
  const client = createOpenaiClient(
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
    const asked = sent('/tokenize').flatMap((body) => {
      const { with_pieces, content } = body as { with_pieces?: boolean; content: string }
      return with_pieces === true ? [content] : []
    })
    // The whole text, the differing tokens by themselves, and the text with these broken.
    expect(asked).toEqual([text, text, '<Zug>\n◁user▷', '<Zug>\n◁user▷', broken, ...asked.slice(5)])
    // For the chat only the new texts: names of its fields, and the call around the text.
    expect(asked.slice(5).join()).not.toMatch(/<Zug>|◁user▷/)
  })

  it('no form is needed: whatever the tokenizer takes for a control token is broken (14 vocabularies)', async () => {
    const roll = seededRandom(Number(process.env.TSUGI_SEED ?? 1))
    const pick = (of: string): string => [...of][Math.floor(roll() * [...of].length)] as string
    const word = (): string =>
      Array.from({ length: 1 + Math.floor(roll() * 6) }, () => pick('abkxz終始猫ёλ')).join('')
    const signs = '«»⟦⟧{}()§¶¦†‡→※〔〕~^$%&*+=@!?;:.,/\\\'"'
    const forms = [
      () => `${pick(signs)}${word()}:${word()}${pick(signs)}`,
      () => `${pick(signs)}${word()}${pick(signs)}${pick('xyz')}`,
      () => `${word()} ${word()}`,
      () => `${word()}\n${word()}`,
      () => `own${word()}`,
      () => pick('🜁🜂🜃⸎'),
      () => pick(signs).repeat(3) + word(),
    ]
    for (let round = 0; round < 14; round += 1) {
      const tokens = Array.from({ length: 3 }, (_, i) => (forms[(round + i) % forms.length] ?? word)())
      const fake = await createFakeLlamaServer({ specialTokens: tokens, contextTokens: 32_768 })
      const client = openai(fake.address, 'llama.cpp')
      const [a, b, c] = tokens.map((token) => `${word()} ${token}${token} ${word()}${token}\n`) as [
        string,
        string,
        string,
      ]
      const tools = [
        { name: 'look', description: b, parameters: { type: 'object', properties: { [c]: {} } } },
      ]
      await all(client.complete({ ...common, prompt: plainPrompt(a + b) }, never))
      await all(client.chat({ ...chatOf(c + a), tools }, never))
      const sent = fake.requests.filter(({ path }) => /completions?$/.test(path)).map(({ body }) => body)
      const read = JSON.stringify(sent, (key, value) => (key === 'model' ? undefined : value))
      for (const token of tokens) {
        const inner = JSON.stringify(token).slice(1, -1)
        const twice = JSON.stringify(inner).slice(1, -1)
        expect(read, `${round}: ${token}`).not.toContain(inner)
        expect(read, `${round}: ${token} in JSON`).not.toContain(twice)
      }
      expect(sent).toHaveLength(2)
      await client.dispose()
      await fake.close()
    }
  })

  it('tokens that are read in every text are broken where they have the form of control tokens', async () => {
    const fake = await createFakeLlamaServer({ userTokens: ['<Zug>', '◁user▷', '<div>', '  ', 'ab'] })
    closing.push(() => fake.close())
    await all(
      openai(fake.address, 'llama.cpp').complete({ ...common, prompt: plainPrompt(`${text}  ab`) }, never),
    )
    const sent = fake.requests.filter(({ path }) => path === '/completion')
    expect(sent.map(({ body }) => (body as { prompt: string }).prompt)).toEqual([`${broken}  ab`])
  })

  it('what a model copies of a broken text is mended', async () => {
    const fake = await createFakeLlamaServer({
      specialTokens: ['own', '⟦own⟧x'],
      answer: () => ({ text: 'my o\u2060wn ⟦\u2060own⟧x' }),
    })
    closing.push(() => fake.close())
    const client = openai(fake.address, 'llama.cpp')
    let said = ''
    for await (const event of client.chat({ ...chatOf('own ⟦own⟧x'), maxTokens: 40 }, never)) {
      if (event.type === 'text') said += event.text
    }
    expect(said).toBe('my own ⟦own⟧x')
  })
})

it('each turn of a growing conversation asks the tokenizer about its new text alone', async () => {
  const fake = await createFakeLlamaServer({ specialTokens: ['<Zug>'], contextTokens: 32_768 })
  closing.push(() => fake.close())
  const client = openai(fake.address, 'llama.cpp')
  const messages: ChatRequest['messages'][number][] = [{ role: 'user', content: '0123456789 x' }]
  for (let turn = 0; turn < 12; turn += 1) {
    // Each text is different, and all its tokens are known already.
    messages.push({
      role: 'user',
      content: `${turn.toString(2).padStart(4, '0')} <Zug> <div> Map<string> 1 0`,
    })
    await all(client.chat({ ...common, maxTokens: 1, promptTokens: 1, messages: [...messages] }, never))
    messages.push({ role: 'assistant', content: 'x' })
  }
  expect(fake.requests.filter(({ path }) => path === '/v1/chat/completions')).toHaveLength(12)
  const asked = fake.requests.filter(({ path }) => path === '/tokenize')
  const texts = asked.map(({ body }) => (body as { content: string }).content)
  // One in each turn, and one more for each text with a new token: the first text, the broken one, an answer.
  expect(texts).toHaveLength(12 + 3)
  expect(Math.max(...texts.slice(4).map((each) => each.length))).toBeLessThan(60)
  // Without new texts the tokenizer is not asked.
  await all(client.chat({ ...common, maxTokens: 1, promptTokens: 1, messages: messages.slice(0, 9) }, never))
  expect(fake.requests.filter(({ path }) => path === '/tokenize')).toHaveLength(texts.length)
})

describe('on vLLM', () => {
  const done = { events: [{ choices: [{ index: 0, text: 'x', finish_reason: 'stop' }] }] }

  it('it is asked for the texts of the tokens', async () => {
    const server = await routes({
      'GET /v1/models': { json: { object: 'list', data: [{ id: 'm', max_model_len: 4096 }] } },
      'POST /tokenize': ({ body }) => {
        const { prompt } = body as { prompt: string }
        // As in byte-level vocabularies, a word after a space is another token.
        const token_strs = prompt.split(/(<Zug>|◁user▷|own)/u).flatMap((part, i) => {
          const words = i % 2 === 1 ? [part] : (part.match(/ ?[A-Za-z]+|[^A-Za-z]/gu) ?? [])
          return words.map((each) => each.replace(' ', 'Ġ').replace('\n', 'Ċ'))
        })
        return { json: { count: token_strs.length, tokens: token_strs.map((_, id) => id), token_strs } }
      },
      'POST /v1/completions': done,
    })
    const asked = `${text} my own (div) town`
    await all(openai(server.address, 'vllm').complete({ ...common, prompt: plainPrompt(asked) }, never))
    const sent = server.requests.filter(({ path }) => path === '/v1/completions')
    expect(sent.map(({ body }) => (body as { prompt: string }).prompt)).toEqual([
      `${broken} my o\u2060wn (div) to\u2060wn`,
    ])
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

describe.each(['lm-studio', 'other'] as const)(
  'on a server of the user’s own that tells nothing: %s',
  (flavour) => {
    it('what has the form of a control token is broken, and elements of HTML are left', async () => {
      const server = await routes({
        'GET /v1/models': { json: { object: 'list', data: [{ id: 'm' }] } },
        'GET /api/v0/models': {
          json: {
            object: 'list',
            data: [{ id: 'm', type: 'llm', state: 'loaded', max_context_length: 4096 }],
          },
        },
        'POST /v1/chat/completions': {
          events: [{ choices: [{ delta: { content: 'x' }, finish_reason: 'stop' }] }],
        },
      })
      await all(openai(server.address, flavour).chat(chatOf(text), never))
      const asked = server.requests.filter(({ path }) => path === '/v1/chat/completions')
      const bodies = JSON.stringify(asked.map(({ body }) => body))
      expect(bodies).toContain(broken)
      expect(bodies).not.toMatch(/<Zug>|◁user▷/)
    })
  },
)

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
  const client = createKoboldClient(
    { clock: systemClock, random: systemRandom, queue: new RequestQueue() },
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

describe('on KoboldCpp with the way back', () => {
  it('what is not written out is a control token', async () => {
    const tokens = ['«SYS:own»', '⟦own⟧x', 'own', 'abab', 'a\nb']
    const split = new RegExp(`(${[...tokens].sort((a, b) => b.length - a.length).join('|')})`)
    let ids: string[] = []
    const answers: Record<string, (body: Record<string, string>) => unknown> = {
      '/api/extra/true_max_context_length': () => ({ value: 4096 }),
      '/api/extra/tokencount': ({ prompt = '' }) => {
        ids = prompt.split(split).flatMap((part) => (tokens.includes(part) ? [part] : [...part]))
        return { value: ids.length, ids: ids.map((_, id) => id) }
      },
      // With the space that llama.cpp inserts after a control token.
      '/api/extra/detokenize': () => ({
        result: ` ${ids.map((each, i) => (tokens.includes(each) ? '' : `${tokens.includes(ids[i - 1] ?? '') ? ' ' : ''}${each}`)).join('')}`,
      }),
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
    const client = createKoboldClient(
      { clock: systemClock, random: systemRandom, queue: new RequestQueue() },
      { ...options, address: server.address, template: { ...template } as never },
    )
    closing.push(() => client.dispose())
    const hostile = 'My own «SYS:own»«SYS:own» house. ababab ⟦own⟧x⟦own⟧xy\nba\nb of his own'
    await all(client.complete({ ...common, prompt: plainPrompt(hostile) }, never)).catch(() => undefined)
    const counts = () => server.requests.filter(({ path }) => /token(count|ize)$/.test(path)).length
    const before = counts()
    await all(client.complete({ ...common, prompt: plainPrompt(hostile) }, never)).catch(() => undefined)
    // Only the count of the prompt.
    expect(counts() - before).toBe(1)
    const sent = server.requests.filter(({ path }) => path === '/api/extra/generate/stream')
    expect(sent.length).toBeGreaterThan(0)
    for (const { body } of sent) {
      const { prompt } = body as { prompt: string }
      expect(prompt.replaceAll('\u2060', '')).toBe(hostile)
      for (const token of tokens) expect(prompt).not.toContain(token)
    }
  })
})

describe('MarkerCheck', () => {
  const cut = (text: string) => (markers: readonly string[]) => [
    markers.reduce((all, marker) => all.replaceAll(marker, [...marker].join('\u2060')), text),
  ]

  it('goes by the form where the server could not be asked, and asks again', async () => {
    let isDown = true
    const asked: string[] = []
    const check = createMarkerCheck(async (each) => {
      asked.push(each)
      if (isDown) throw new AppError({ code: 'model/unreachable', address: 'http://x' })
      return each.includes('<Zug>') ? ['<Zug>'] : []
    })
    const learn = () => check.learn(cut('<a1> <Zug> <b1>'), never)
    expect(await learn()).toEqual(['<a1>', '<Zug>', '<b1>'])
    isDown = false
    expect(await learn()).toEqual(['<Zug>'])
    expect(await learn()).toEqual(['<Zug>'])
    expect(asked).toHaveLength(3)
  })

  it('goes by the form for ever where the server cannot tell', async () => {
    let count = 0
    const check = createMarkerCheck(async () => {
      count += 1
      return null
    })
    for (let round = 0; round < 2; round += 1)
      expect(await check.learn(cut('<a1> own'), never)).toEqual(['<a1>'])
    expect(count).toBe(1)
  })

  it('finds a token that another covered', async () => {
    const check = createMarkerCheck(async (text) =>
      ['abc', 'cde'].filter((each) => text.includes(each)).slice(0, 1),
    )
    expect(
      await check.learn(
        (known) => (known.length === 0 ? ['xabcde'] : known.length === 1 ? ['xa|bcde'] : ['-']),
        never,
      ),
    ).toEqual(['abc', 'cde'])
  })

  it('asks about a changed line, with what a token may reach back into', async () => {
    const asked: string[] = []
    const check = createMarkerCheck(async (text) => {
      asked.push(text)
      return []
    })
    const lines = Array.from({ length: 400 }, (_, i) => `line ${i} of a long chapter`)
    await check.learn(() => [lines.join('\n')], never)
    lines[200] = 'changed'
    await check.learn(() => [lines.join('\n')], never)
    expect(asked).toHaveLength(2)
    expect(asked[1]).toContain('\nchanged\nline 201')
    expect(asked[1]?.length).toBeLessThan(1_000)
  })

  it('takes for tokens only pieces that special parsing makes', async () => {
    const special = ['a', '<Zug>', '\n', '<', 'div', '>\n', '(x']
    const plain = ['a', '<', 'Z', 'ug', '>\n', '<', 'div', '>']
    const texts = [...new Set([...special, ...plain])]
    const find = markersByPieces(async (text, isSpecial) =>
      (text === 'a<Zug>\n<div>' ? (isSpecial ? special : plain) : [text]).map((each) => ({
        id: texts.indexOf(each),
        text: each,
      })),
    )
    expect(await find('a<Zug>\n<div>', never)).toEqual(['<Zug>'])
  })
})
