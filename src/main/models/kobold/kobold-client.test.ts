import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { patientTimeouts } from '../../../../tests/fakes/patient-timeouts.ts'
import {
  type FakeKobold,
  type FakeKoboldOptions,
  startFakeKobold,
} from '../../../../tests/fakes/servers/fake-kobold.ts'
import type { ModelTimeouts } from '../../../shared/domain/model/model-profile.ts'
import { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import { isAppError } from '../../../shared/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { type CompletionRequest, type ModelEvent, plainPrompt } from '../client/model-client.ts'
import { controlStringsOf } from '../completion/break-control-strings.ts'
import { RequestQueue } from '../completion/request-queue.ts'
import { createKoboldClient, type KoboldClient } from './kobold-client.ts'

const never = new AbortController().signal
const template = TemplatePack.parse({
  id: 'mistral',
  name: 'Mistral',
  wrapper: '[INST]{{inner}}[/INST]{{suffix}}',
  stops: [],
})
const sampler = { temperature: 0.7, topK: 0, topP: 0.95, minP: 0.05, repeatPenalty: 1.05, repeatRange: 320 }

let fake: FakeKobold
let clients: KoboldClient[] = []

async function serve(options: FakeKoboldOptions = {}): Promise<KoboldClient> {
  await fake.close()
  fake = await startFakeKobold(options)
  return client()
}

function client({
  key,
  contextTokens,
  queue = new RequestQueue(),
  ...timeouts
}: { key?: string; contextTokens?: number; queue?: RequestQueue } & Partial<ModelTimeouts> = {}) {
  const made = createKoboldClient(
    { clock: systemClock, random: systemRandom, queue },
    {
      address: fake.address,
      controls: controlStringsOf([template]),
      key: async () => key,
      contextTokens,
      template,
      timeouts: { ...patientTimeouts, ...timeouts },
    },
  )
  clients.push(made)
  return made
}

beforeEach(async () => {
  fake = await startFakeKobold()
})
afterEach(async () => {
  await Promise.all(clients.map((made) => made.dispose()))
  clients = []
  await fake.close()
})

function request(changes: Partial<CompletionRequest> = {}): CompletionRequest {
  return {
    prompt: [
      { text: '[INST]', isSpecial: true },
      { text: '続き', isSpecial: false },
      { text: '[/INST]', isSpecial: true },
      { text: '雨は', isSpecial: false },
    ],
    sampler,
    maxTokens: 30,
    stops: [],
    seed: 42,
    isEosBanned: true,
    ...changes,
  }
}

async function run(
  events: AsyncIterable<ModelEvent>,
  onEvent: (event: ModelEvent) => void = () => undefined,
): Promise<{ events: ModelEvent[]; text: string; done: string | undefined }> {
  const seen: ModelEvent[] = []
  let text = ''
  for await (const event of events) {
    seen.push(event)
    if (event.type === 'text') text += event.text
    if (event.type === 'replace') text = event.text
    onEvent(event)
  }
  const last = seen.at(-1)
  return { events: seen, text, done: last?.type === 'done' ? last.stopReason : undefined }
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

const generated = () => fake.requests.filter((entry) => entry.generation !== undefined)

describe('KoboldClient', () => {
  it('tells how likely each token was where it is asked, by a server that knows', async () => {
    const answer = () => '雨が降る。'
    const asked = await serve({ answer, unlikely: '降' })
    const chancesOf = ({ events }: Awaited<ReturnType<typeof run>>) =>
      events.flatMap((event) => (event.type === 'chance' ? [event] : []))
    const told = await run(asked.complete(request({ tellsChances: true }), never))
    expect(
      chancesOf(told)
        .map(({ text }) => text)
        .join(''),
    ).toBe(told.text)
    const unlikely = chancesOf(told).filter(({ share }) => share < 0.1)
    expect([...new Set(unlikely.map(({ text }) => text))]).toEqual(['降'])
    expect(chancesOf(await run(asked.complete(request(), never)))).toEqual([])
    // 1.76 does not have this path; the text is complete nevertheless.
    const old = await serve({ answer })
    const silent = await run(old.complete(request({ tellsChances: true }), never))
    expect(chancesOf(silent)).toEqual([])
    expect(silent).toMatchObject({ text: told.text, done: told.done })
  })

  it('counts the words that come without a text: characters that the server drops', async () => {
    const asked = await serve({ answer: '雪', otherChances: ['', '猫', '', '朝'] })
    const told = await asked.nextWords({ prompt: plainPrompt('雨と'), conversation: 'c' }, never)
    expect(told.words.map(({ text }) => text)).toEqual(['雪', '猫', '朝'])
    expect(told).toMatchObject({ limit: 5, untold: 2 })
  })

  it('tells the model, and the context window that the server really has', async () => {
    const asked = await serve({ contextTokens: 8192, modelName: 'neko-12b' })
    expect(await asked.describe(never)).toEqual({
      modelName: 'neko-12b',
      version: '1.76',
      context: { tokens: 8192, source: 'server' },
      needsKey: false,
    })
    expect((await client({ contextTokens: 4096 }).contextWindow(never)).source).toBe('profile')
    expect((await client({ contextTokens: 99_999 }).contextWindow(never)).tokens).toBe(8192)
  })

  it('says every sampler value, with a key of its own per request', async () => {
    const asked = client()
    await run(asked.complete(request(), never))
    await run(asked.complete(request(), never))
    const [first, second] = generated()
    expect(first?.body).toMatchObject({
      temperature: 0.7,
      top_k: 0,
      top_p: 0.95,
      min_p: 0.05,
      rep_pen: 1.05,
      rep_pen_range: 320,
      sampler_seed: 42,
      max_length: 30,
      max_context_length: 2048,
      trim_stop: true,
      ban_eos_token: true,
    })
    expect(first?.generation?.payload.genkey).not.toBe(second?.generation?.payload.genkey)
    expect(first?.headers.get('connection')).toBe('close')
    await expect.poll(() => fake.openSockets).toBe(0)
  })

  it('streams the text and ends with usage and done', async () => {
    const { events, text, done } = await run(client().complete(request(), never))
    expect(events.map((event) => event.type).filter((type) => type !== 'text')).toEqual([
      'phase',
      'phase',
      'usage',
      'done',
    ])
    expect(text).toBe(fake.current?.text)
    expect(done).toBe('length')
    expect(events.find((event) => event.type === 'usage')).toMatchObject({
      usage: { promptTokens: 7, completionTokens: 30, isExact: true, isReuseEstimated: true },
    })
  })

  it('knows a stop sequence from the length, although the server says "length" for both', async () => {
    const asked = await serve({ answer: '吾輩は猫である。名前はまだ無い。' })
    const { text, done } = await run(asked.complete(request({ stops: ['。名前'] }), never))
    expect([text, done]).toEqual(['吾輩は猫である', 'stop-sequence'])
    const ended = await run(asked.complete(request({ isEosBanned: false }), never))
    expect([ended.text, ended.done]).toEqual(['吾輩は猫である。名前はまだ無い。', 'stop'])
  })

  it('cuts at a stop sequence beyond the 32 that the server reads, and stops it', async () => {
    const asked = await serve({ answer: '吾輩は猫である。名前はまだ無い。'.repeat(50), tokenMs: 2 })
    const stops = [...Array.from({ length: 32 }, (_, index) => `zz${index}`), '名前']
    const { text, done } = await run(asked.complete(request({ stops, maxTokens: 500 }), never))
    expect([text, done]).toEqual(['吾輩は猫である。', 'stop-sequence'])
    expect(fake.current?.tokens).toBeLessThan(400)
    expect(generated()[0]?.generation?.payload.stop_sequence).toHaveLength(32)
  })

  it('puts characters back that the stream lost', async () => {
    const asked = await serve({ answer: 'ーヂ終わり。' })
    fake.faults.losesCharacters = 'ヂ'
    const { events, text } = await run(asked.complete(request({ isEosBanned: false }), never))
    expect(text).toBe('ーヂ終わり。')
    expect(events.filter((event) => event.type === 'replace')).toEqual([
      { type: 'replace', text: 'ーヂ終わり。' },
    ])
  })

  it('keeps the text of a stop, and the server stops too', async () => {
    const asked = await serve({ tokenMs: 10 })
    const stop = new AbortController()
    const { text, done } = await run(asked.complete(request({ maxTokens: 1500 }), stop.signal), (event) => {
      if (event.type === 'text') stop.abort()
    })
    expect(done).toBe('aborted')
    expect(text).not.toBe('')
    expect(fake.current?.text.startsWith(text)).toBe(true)
    expect(fake.current).toMatchObject({ isRunning: false, isAborted: true })
    expect(fake.requests.some((entry) => entry.path === '/api/extra/abort')).toBe(true)
  })

  it('stops the server when the reader leaves the loop', async () => {
    const asked = await serve({ tokenMs: 10 })
    for await (const event of asked.complete(request({ maxTokens: 1500 }), never)) {
      if (event.type === 'text') break
    }
    expect(fake.current?.isAborted).toBe(true)
    const next = await run(asked.complete(request({ maxTokens: 3 }), never))
    expect(next.done).toBe('length')
  })

  it('runs one request at a time and says that the second is queued', async () => {
    const asked = await serve({ tokenMs: 2 })
    const [, second] = await Promise.all([
      run(asked.complete(request(), never)),
      run(asked.complete(request({ maxTokens: 2 }), never)),
    ])
    expect(second.events[0]).toEqual({ type: 'phase', phase: 'queued', progress: null })
    expect(second.done).toBe('length')
  })

  it('refuses what would be cut silently or kill the server, and sends nothing', async () => {
    const asked = client()
    const long = plainPrompt(`[INST]命令[/INST]${'雨'.repeat(2100)}`)
    expect(await failure(run(asked.complete(request({ prompt: long }), never)))).toBe(
      'model/context-overflow',
    )
    expect(await failure(run(asked.complete(request({ maxTokens: -2000 }), never)))).toBe('model/bad-request')
    expect(await failure(run(asked.complete(request({ maxTokens: 0 }), never)))).toBe('model/bad-request')
    expect(await failure(run(asked.complete(request({ seed: 0.5 }), never)))).toBe('model/bad-request')
    expect(generated()).toEqual([])
    expect(fake.isDead).toBe(false)
  })

  it('counts with the BOS token, says when there are too many, and one request at a time', async () => {
    const asked = await serve()
    expect(await asked.countTokens('吾輩は猫である', never)).toBe(8)
    expect(await asked.countTokens('吾輩は猫である', never, { isPiece: true })).toBe(7)
    expect(await asked.countTokens('あ'.repeat(50_000), never)).toBe(0)
    expect(await asked.countTokens('a\ud83dz', never)).toBeGreaterThan(1)
    expect(await asked.countTokens('', never)).toBe(1)
    await fake.close()
    expect(await failure(asked.countTokens('猫', never))).toBe('tokens/unreachable')
  })

  it('counts pieces alike where the model has no BOS token', async () => {
    const asked = await serve({ hasBos: false })
    expect(await asked.countTokens('吾輩は猫である', never)).toBe(7)
    expect(await asked.countTokens('吾輩は猫である', never, { isPiece: true })).toBe(7)
    expect(await asked.countTokens('猫', never, { isPiece: true })).toBe(1)
  })

  it('sends the key as Bearer and says when it is missing or wrong', async () => {
    await serve({ password: 'himitsu' })
    expect((await client().describe(never)).needsKey).toBe(true)
    expect(await failure(client({ key: 'nope' }).countTokens('a', never))).toBe('model/unauthorized')
    expect(await failure(client({ key: '秘密' }).countTokens('a', never))).toBe('model/unauthorized')
    expect(await client({ key: ' himitsu\n' }).countTokens('a', never)).toBe(2)
    expect((await run(client({ key: 'himitsu' }).complete(request(), never))).done).toBe('length')
  })

  it('estimates what the server need not read again', async () => {
    const asked = client()
    const first = await run(asked.complete(request({ promptTokens: 100 }), never))
    const longer = [...request().prompt.slice(0, -1), { text: `雨は${first.text}そして`, isSpecial: false }]
    const second = await run(asked.complete(request({ prompt: longer, promptTokens: 140 }), never))
    const usage = second.events.find((event) => event.type === 'usage')?.usage
    expect(usage?.reusedTokens).toBeGreaterThan(120)
    expect(generated()[1]?.generation?.sharedTokens).toBeGreaterThan(30)
  })

  it('knows what its server read last, whichever client sent it', async () => {
    const queue = new RequestQueue()
    const [page, other] = [client({ queue }), client({ queue })]
    expect(page.lastRead).toBe('')
    const { text } = await run(page.complete(request(), never))
    expect(other.lastRead).toBe(`[INST]続き[/INST]雨は${text}`)
    await run(other.chat({ ...request(), messages: [{ role: 'user', content: '別の頼み' }] }, never))
    expect(page.lastRead).toContain('別の頼み')
  })

  it.each([
    ['kept, of a cache that moves with the text', { shiftsCache: true }, true],
    ['read again, without context shift', {}, false],
  ])('tells by the time of reading what was %s', async (_, options, isKept) => {
    const asked = await serve({ ...options, promptTokenMs: 3, answer: () => '雨が降る。' })
    // A server keeps no shorter part.
    const lines = Array.from({ length: 90 }, (_, nth) => `${nth}番目の行。\n`)
    const page = (text: string) => request({ prompt: [{ text, isSpecial: false }], maxTokens: 5 })
    const first = await run(asked.complete(page(lines.join('')), never))
    const moved = `${lines.slice(4).join('')}${first.text}次の行。`
    const { events } = await run(asked.complete(page(moved), never))
    const usage = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))[0]
    expect(usage?.reusedTokens).not.toBeNull()
    const share = (usage?.reusedTokens ?? 0) / (usage?.promptTokens ?? 0)
    if (isKept) expect(share).toBeGreaterThan(0.5)
    else expect(share).toBeLessThan(0.5)
  })

  it('says nothing of a page that moved where the server does not tell how fast it reads', async () => {
    const asked = client()
    await run(asked.complete(request(), never))
    const { events } = await run(
      asked.complete(request({ prompt: [{ text: '別の頁。'.repeat(20), isSpecial: false }] }), never),
    )
    expect(events.find((event) => event.type === 'usage')).toMatchObject({ usage: { reusedTokens: null } })
  })

  it('obeys a grammar made from a schema', async () => {
    const schema = {
      type: 'object',
      properties: { mood: { enum: ['calm', 'tense'] }, count: { type: 'integer' } },
      required: ['mood', 'count'],
    }
    const { text } = await run(
      client().complete(
        request({ constraint: { kind: 'json-schema', schema }, maxTokens: 200, isEosBanned: false }),
        never,
      ),
    )
    expect(JSON.parse(text)).toEqual({ mood: expect.stringMatching(/calm|tense/), count: expect.any(Number) })
  })
})

describe('KoboldClient when things go wrong', () => {
  it('never hangs: nothing at all, silence in the middle, a stream that is not closed', async () => {
    await serve()
    fake.faults.hangAfterTokens = 0
    expect(await failure(run(client({ firstTokenMs: 1_000 }).complete(request(), never)))).toBe(
      'model/timeout',
    )
    fake.faults = { hangAfterTokens: 4 }
    const texts: string[] = []
    const silent = run(client({ idleMs: 1_000 }).complete(request(), never), (event) => {
      if (event.type === 'text') texts.push(event.text)
    })
    expect(await failure(silent)).toBe('model/timeout')
    expect(texts.join('')).not.toBe('')
    fake.faults = { neverCloses: true }
    expect((await run(client().complete(request(), never))).done).toBe('length')
    await expect.poll(() => fake.openSockets).toBe(0)
  })

  it('names a dead server, a cut stream and garbage', async () => {
    await serve({ tokenMs: 1 })
    fake.faults = { cutAfterTokens: 5 }
    expect(await failure(run(client().complete(request(), never)))).toBe('model/cut')
    fake.faults = { isGarbage: true }
    expect(await failure(client().describe(never))).toBe('model/bad-response')
    fake.faults = { diesAfterTokens: 5 }
    expect(await failure(run(client().complete(request(), never)))).toBe('model/cut')
    expect(await failure(run(client().complete(request(), never)))).toBe('model/unreachable')
  })

  it('waits for a server whose queue is full, and tells how long', async () => {
    await serve({ queueLimit: 0, tokenMs: 20 })
    const other = run(client().complete(request({ maxTokens: 60 }), never))
    await expect.poll(() => fake.current?.isRunning).toBe(true)
    const { events, done } = await run(client().complete(request({ maxTokens: 2 }), never))
    expect(events).toContainEqual({ type: 'phase', phase: 'queued', progress: null, waitMs: 1_000 })
    expect(done).toBe('length')
    await other
  })
})
