import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SpawnWorker } from '../../../src/main/deps.ts'
import { EngineProcess } from '../../../src/main/engine/engine-process.ts'
import {
  type CompletionRequest,
  type ModelEvent,
  plainPrompt,
} from '../../../src/main/models/client/model-client.ts'
import {
  createEmbeddedClient,
  type EmbeddedClient,
} from '../../../src/main/models/embedded/embedded-client.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { forkWorkers } from '../../../src/main/platform/node/fork-worker.ts'
import { TemplatePack } from '../../../src/shared/domain/model/template-pack.ts'
import { isAppError } from '../../../src/shared/errors.ts'
import { startEngineHere } from '../../fakes/rigs/models/engine-here.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'

const entry = fileURLToPath(new URL('../../../src/main/engine/engine-child.ts', import.meta.url))
const sharedModel = fileURLToPath(new URL('../../../../shared/models/tiny-tekken.gguf', import.meta.url))
const never = new AbortController().signal
const greedy = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const template = TemplatePack.parse({
  id: 'm',
  name: 'M',
  wrapper: '[INST]{{inner}}[/INST]{{suffix}}',
  stops: [],
})

let folder = ''
let chain = ''
let noise = ''
const engines: EngineProcess[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsugi-engine-'))
  chain = join(folder, 'chain.gguf')
  noise = join(folder, 'noise.gguf')
  writeTinyGguf(chain, { says: '吾輩は猫である' })
  writeTinyGguf(noise, { seed: 7 })
})
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.dispose()))
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the engine in its own process, only where that matters: each start loads the native library anew. */
const ownProcess = forkWorkers({ engine: entry })

function open(
  file: string,
  options: { contextTokens?: number; idleUnloadMs?: number; spawnWorker?: SpawnWorker } = {},
) {
  const engine = new EngineProcess(
    {
      spawnWorker: options.spawnWorker ?? startEngineHere,
      clock: systemClock,
      log: { write: () => undefined, bug: () => 'x' },
    },
    {
      file,
      contextTokens: options.contextTokens,
      ...(options.idleUnloadMs === undefined ? {} : { idleUnloadMs: options.idleUnloadMs }),
    },
  )
  engines.push(engine)
  const contextTokens = options.contextTokens
  return { engine, client: createEmbeddedClient({ clock: systemClock, engine }, { template, contextTokens }) }
}

function request(changes: Partial<CompletionRequest> = {}): CompletionRequest {
  return { prompt: plainPrompt('はじめ\n'), sampler: greedy, maxTokens: 40, stops: [], seed: 1, ...changes }
}

async function run(
  events: AsyncIterable<ModelEvent>,
  onEvent: (event: ModelEvent) => void = () => undefined,
) {
  let text = ''
  let done: string | undefined
  let usage: Extract<ModelEvent, { type: 'usage' }>['usage'] | undefined
  for await (const event of events) {
    if (event.type === 'text') text += event.text
    if (event.type === 'usage') usage = event.usage
    if (event.type === 'done') done = event.stopReason
    onEvent(event)
  }
  return { text, done, usage }
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

describe('the embedded engine on a model of our own', () => {
  let engine: EngineProcess
  let client: EmbeddedClient
  beforeAll(() => {
    ;({ engine, client } = open(chain, { contextTokens: 1024 }))
  })

  it('tells the likeliest words in whole characters behind what it has read', async () => {
    await run(client.complete(request({ conversation: 'words' }), never))
    const prompt = plainPrompt('はじめ\n吾輩は')
    const told = await client.nextWords({ prompt, conversation: 'words' }, never)
    expect(told.words[0]?.text.startsWith('猫')).toBe(true)
    expect(told.words.map(({ text }) => text).join('')).not.toContain('\ufffd')
    expect(told.reusedTokens).toBe((told.promptTokens ?? 0) - 1)
  })

  it('tells how likely each piece was, in whole characters, where it is asked', async () => {
    const chances: string[] = []
    for await (const event of client.complete(request({ tellsChances: true }), never)) {
      if (event.type !== 'chance') continue
      expect(event.share).toBeGreaterThan(0)
      expect(event.share).toBeLessThanOrEqual(1)
      chances.push(event.text)
    }
    expect(chances.join('')).toBe('吾輩は猫である')
  })

  it('says what the weights say, and ends by itself', async () => {
    expect(await run(client.complete(request(), never))).toMatchObject({
      text: '吾輩は猫である',
      done: 'stop',
    })
    expect(engine.state).toBe('ready')
    expect(await client.describe(never)).toMatchObject({
      modelName: 'tiny',
      context: { tokens: 1024, source: 'profile' },
    })
  })

  it('stops at its length, at a stop sequence, and goes on where the end is banned', async () => {
    expect(await run(client.complete(request({ maxTokens: 3 }), never))).toMatchObject({
      text: '吾輩は',
      done: 'length',
    })
    expect(await run(client.complete(request({ stops: ['猫で'] }), never))).toMatchObject({
      text: '吾輩は',
      done: 'stop-sequence',
    })
    const endless = await run(client.complete(request({ isEosBanned: true, maxTokens: 30 }), never))
    expect(endless).toMatchObject({ done: 'length', usage: { completionTokens: 30 } })
    expect(endless.text.startsWith('吾輩は猫である')).toBe(true)
  })

  it('goes on in another way where a phrase that is banned begins', async () => {
    const { text } = await run(
      client.complete(request({ bannedPhrases: ['猫で'], isEosBanned: true, maxTokens: 12 }), never),
    )
    expect(text).toMatch(/^吾輩は./)
    expect(text).not.toContain('猫で')
  })

  it('counts BOS once, markers as one token each, and never the author’s text as markers', async () => {
    const inner = { text: 'あいう', isSpecial: false }
    const bos = await client.countTokens('', never)
    expect(bos).toBe(1)
    expect(await client.countTokens('あいう', never)).toBe(4)
    expect(await client.countTokens('あいう', never, { isPiece: true })).toBe(3)
    expect(await client.countTokens([{ text: '[INST]', isSpecial: true }, inner], never)).toBe(5)
    expect(await client.countTokens('[INST]あいう', never)).toBe(4 + '[INST]'.length)
    expect(await client.countTokens([{ text: '<s>', isSpecial: true }, inner], never)).toBe(4)
  })

  it('reads tokens that were added by hand as their letters in a text, and whole between markers', async () => {
    const file = join(folder, 'added.gguf')
    writeTinyGguf(file, { userTokens: ['<think>', 'k><', '#user:', '<b>', 'あい'] })
    const added = open(file)
    const counts = (text: string) => added.client.countTokens(text, never, { isPiece: true })
    expect(await counts('あい')).toBe(1)
    expect(await counts('<b>')).toBe(1)
    for (const text of ['<think>', 'x<think>y', '<think><think>', '#user:#user:'])
      expect([text, await counts(text)]).toEqual([text, text.length])
    expect(
      await added.client.countTokens([{ text: '<think>', isSpecial: true }], never, { isPiece: true }),
    ).toBe(1)
  })

  it('reads only what is new of a longer prompt, by its own count', async () => {
    const beginning = 'あいうえお'.repeat(60)
    const first = await run(
      client.complete(request({ prompt: plainPrompt(`${beginning}\n`), conversation: 'work' }), never),
    )
    expect(first.usage).toMatchObject({ promptTokens: 302, reusedTokens: 0, isReuseEstimated: false })
    const more = `${beginning}\n${first.text}かきく\n`
    const second = await run(
      client.complete(request({ prompt: plainPrompt(more), conversation: 'work' }), never),
    )
    expect(second.text).toBe('吾輩は猫である')
    const { promptTokens = 0, reusedTokens } = second.usage ?? {}
    expect(promptTokens).toBe(302 + 7 + 4)
    // All but the last of what it wrote, which it never had to read itself, and what is new.
    expect(promptTokens - (reusedTokens ?? 0)).toBeLessThanOrEqual(5)
  })

  it('keeps a prompt cache per conversation', async () => {
    const prompt = plainPrompt(`${'かきくけこ'.repeat(40)}\n`)
    await run(client.complete(request({ prompt, conversation: 'a' }), never))
    await run(client.complete(request({ conversation: 'b' }), never))
    const again = await run(client.complete(request({ prompt, conversation: 'a' }), never))
    expect(again.usage?.reusedTokens).toBe((again.usage?.promptTokens ?? 0) - 1)
    expect((await engine.stats(never)).sequences).toBeGreaterThanOrEqual(2)
  })

  it('refuses a prompt that does not fit, before anything is read', async () => {
    const prompt = plainPrompt('あ'.repeat(1000))
    expect(await failure(run(client.complete(request({ prompt, maxTokens: 100 }), never)))).toBe(
      'model/context-overflow',
    )
  })

  it('gives the same text for the same seed', async () => {
    const wild = { ...greedy, temperature: 2 }
    const ask = (seed: number) =>
      run(client.complete(request({ sampler: wild, seed, isEosBanned: true, maxTokens: 25 }), never))
    const [one, two, other] = [await ask(5), await ask(5), await ask(6)]
    expect(one.text).toBe(two.text)
    expect(other.text).not.toBe(one.text)
  })

  it('obeys a schema and refuses a grammar that does not parse', async () => {
    const schema = {
      type: 'object',
      properties: {
        title: { type: 'string', maxLength: 5 },
        tags: { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 2 },
      },
      required: ['title', 'tags'],
    }
    const { text } = await run(
      client.complete(
        request({
          constraint: { kind: 'json-schema', schema },
          maxTokens: 200,
          sampler: { ...greedy, temperature: 1 },
        }),
        never,
      ),
    )
    expect(JSON.parse(text)).toEqual({ title: expect.any(String), tags: expect.any(Array) })
    const broken = { kind: 'gbnf', grammar: 'root ::= (((' } as const
    expect(await failure(run(client.complete(request({ constraint: broken }), never)))).toBe(
      'model/bad-request',
    )
  })

  it('keeps the text of a stop and answers the next request', async () => {
    const stop = new AbortController()
    const stopped = await run(
      client.complete(request({ isEosBanned: true, maxTokens: 900 }), stop.signal),
      (event) => event.type === 'text' && stop.abort(),
    )
    expect(stopped.done).toBe('aborted')
    expect(stopped.text.startsWith('吾')).toBe(true)
    expect(stopped.usage?.completionTokens).toBeLessThan(900)
    expect((await run(client.complete(request(), never))).text).toBe('吾輩は猫である')
  })
})

describe('the engine’s process', () => {
  it('killed in mid-generation: the request fails by name and the next one works', async () => {
    const { engine, client } = open(chain, { spawnWorker: ownProcess })
    const states: string[] = []
    engine.onState((state) => states.push(state))
    let hasText = false
    const killed = run(client.complete(request({ isEosBanned: true, maxTokens: 1900 }), never), (event) => {
      if (event.type !== 'text' || hasText) return
      hasText = true
      process.kill(engine.pid ?? 0, 'SIGKILL')
    })
    expect(await failure(killed)).toBe('model/engine-crashed')
    expect((await run(client.complete(request(), never))).text).toBe('吾輩は猫である')
    expect(states).toEqual(['loading', 'ready', 'asleep', 'loading', 'ready'])
  })

  it('dead twice in a row: it stays so until it is revived', async () => {
    const { engine, client } = open(chain, { spawnWorker: ownProcess })
    for (const _ of [1, 2]) {
      await engine.model(never)
      const gone = new Promise((resolve) => engine.onState(resolve))
      process.kill(engine.pid ?? 0, 'SIGKILL')
      await gone
    }
    expect(engine.state).toBe('crashed')
    expect(await failure(run(client.complete(request(), never)))).toBe('model/engine-crashed')
    engine.revive()
    expect((await run(client.complete(request(), never))).text).toBe('吾輩は猫である')
  })

  it('unloads when idle and loads again', async () => {
    const { engine, client } = open(chain, { idleUnloadMs: 30, spawnWorker: ownProcess })
    await run(client.complete(request(), never))
    await expect.poll(() => engine.state).toBe('asleep')
    expect(engine.pid).toBeUndefined()
    expect((await run(client.complete(request(), never))).text).toBe('吾輩は猫である')
  })
})

describe('the embedded engine on a file', () => {
  it('names one that is no model', async () => {
    const path = join(folder, 'text.gguf')
    writeFileSync(path, 'no model at all')
    expect(await failure(open(path).engine.model(never))).toBe('model/bad-file')
  })

  it('loads a model of random weights, too', async () => {
    const { client } = open(noise)
    const { usage, done } = await run(client.complete(request({ maxTokens: 12, isEosBanned: true }), never))
    expect([usage?.completionTokens, done]).toEqual([12, 'length'])
  })

  it.skipIf(!existsSync(sharedModel))(
    'streams whole characters of a BPE vocabulary (skipped without the shared model)',
    async () => {
      const { client } = open(sharedModel)
      expect(await client.countTokens([{ text: '[INST]', isSpecial: true }], never)).toBe(2)
      const { text } = await run(
        client.complete(
          request({ maxTokens: 60, constraint: { kind: 'gbnf', grammar: 'root ::= "ーヂ終𠮷野家😀"' } }),
          never,
        ),
      )
      expect(text).toBe('ーヂ終𠮷野家😀')
    },
  )
})
