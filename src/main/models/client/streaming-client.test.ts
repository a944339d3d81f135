import { describe, expect, it } from 'vitest'
import { patientTimeouts } from '../../../../tests/fakes/patient-timeouts.ts'
import { templatePack } from '../../../../tests/fakes/rigs/fake-draft.ts'
import type { CompletionEnd } from '../../../shared/domain/model/model-status.ts'
import { AppError } from '../../../shared/errors.ts'
import { systemClock as clock } from '../../platform/clock.ts'
import { breakInPrompt, controlStringsOf } from '../completion/break-control-strings.ts'
import { RequestQueue } from '../completion/request-queue.ts'
import { streamingRun } from '../completion/streaming-run.ts'
import { type CompletionRequest, type ModelEvent, plainPrompt, promptText } from './model-client.ts'
import { ServerBusy } from './retry.ts'
import { createStreamingClient } from './streaming-client.ts'

const never = new AbortController().signal
const address = 'http://127.0.0.1:1'
const template = templatePack('chatml')
const sampler = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05, repeatPenalty: 1.05, repeatRange: 64 }

type Scene = {
  contextTokens?: number
  promptTokens?: number
  /** The server's own count of an answer. */
  completionTokens?: number
  /** The server counts no answers. */
  isDeaf?: boolean
  markers?: readonly string[]
  cuts?: number
  /** The number of requests for its window that it refuses, since it loads. */
  loads?: number
}

/** A client over a server with a token for each character, which answers `雨が降る。`; `sent`: the prompts it got. */
function open({ contextTokens, markers, cuts = 0, loads = 0, isDeaf, ...told }: Scene = {}) {
  let refused = 0
  const sent: string[] = []
  async function* pieces() {
    if (sent.length <= cuts) return
    for (const text of '雨が降る。') yield { text, end: text === '。' ? ('stop' as const) : null }
  }
  const { client } = createStreamingClient(
    { queue: new RequestQueue(), clock, template, contextTokens, controls: controlStringsOf([template]) },
    {
      capabilities: { hasCounter: true, constraints: [], hasReuseCount: false, hasTools: false },
      describe: async () => ({ modelName: 'a', version: null, needsKey: false }),
      async contextTokens() {
        if (refused++ < loads)
          throw new AppError({ code: 'model/busy', address }, { cause: new ServerBusy(1) })
        return 100
      },
      async count(text, isPiece) {
        if (isPiece && isDeaf) throw new AppError({ code: 'model/cut', address })
        return text.length
      },
      ...(markers !== undefined && { markerFinder: async () => async () => markers }),
      begin: ({ prompt, stops }, _contextTokens, controls) => {
        const read = (piece: { text: string; end: CompletionEnd | null }) => piece
        const cut = () => new AppError({ code: 'model/cut', address })
        return () => {
          sent.push(promptText(breakInPrompt(prompt, controls)))
          const open = async () => pieces()
          const input = { clock, timeouts: patientTimeouts, stops, open, read, cut }
          return streamingRun(input, () => told)
        }
      },
    },
  )
  return { client, sent }
}

async function run(scene: Scene, changes: Partial<CompletionRequest> = {}) {
  const { client, sent } = open(scene)
  const seen: ModelEvent[] = []
  const request = { prompt: plainPrompt('One.'), sampler, maxTokens: 9, stops: [], seed: 1, ...changes }
  for await (const event of client.complete(request, never)) seen.push(event)
  const text = seen.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
  const waits = seen.flatMap((event) => (event.type === 'phase' && event.waitMs ? [event.waitMs] : []))
  return {
    sent,
    text,
    waits,
    types: seen.map(({ type }) => type),
    usage: seen.find(({ type }) => type === 'usage'),
  }
}

describe('a client of a server that streams a text', () => {
  it('takes the figures of the server, else its own count', async () => {
    const counted = await run({})
    expect(counted.text).toBe('雨が降る。')
    expect(counted.usage).toMatchObject({ usage: { promptTokens: 4, completionTokens: 5, isExact: true } })
    expect(counted.types.slice(-2)).toEqual(['usage', 'done'])
    const estimated = { promptTokens: 8, isPromptEstimated: true }
    expect((await run({}, estimated)).usage).toMatchObject({ usage: { promptTokens: 8, isExact: false } })
    const told = await run({ promptTokens: 7 }, estimated)
    expect(told.usage).toMatchObject({ usage: { promptTokens: 7, isExact: true } })
  })

  it('counts an answer that the server does not count, and else says that it is an estimate', async () => {
    const own = await run({ completionTokens: 3 })
    expect(own.usage).toMatchObject({ usage: { completionTokens: 3, isExact: true } })
    const estimated = await run({ isDeaf: true })
    expect(estimated.usage).toMatchObject({ usage: { completionTokens: 5, isExact: false } })
    expect(estimated.text).toBe('雨が降る。')
  })

  it('asks again where nothing came', async () => {
    const { sent, text } = await run({ cuts: 1 })
    expect([sent.length, text]).toEqual([2, '雨が降る。'])
  })

  it('asks again, and says so, where the server loads', async () => {
    const { text, waits } = await run({ loads: 2 })
    expect([text, waits]).toEqual(['雨が降る。', [1, 1]])
  })

  it('breaks the strings of the templates, those that the tokenizer tells, and else those of the form', async () => {
    const prompt = plainPrompt('<|im_start|> ☃x☃ zqz')
    const [byForm] = (await run({}, { prompt })).sent
    expect(byForm).not.toMatch(/<\|im_start\|>|☃x☃/)
    expect(byForm).toContain('zqz')
    const [byTokenizer] = (await run({ markers: ['zqz'] }, { prompt })).sent
    expect(byTokenizer).not.toMatch(/<\|im_start\|>|zqz/)
    expect(byTokenizer).toContain('☃x☃')
  })

  it('takes the smaller context window, and sends nothing that does not fit', async () => {
    expect(await open({ contextTokens: 50 }).client.contextWindow(never)).toEqual({
      tokens: 50,
      source: 'profile',
    })
    expect((await open({ contextTokens: 500 }).client.contextWindow(never)).tokens).toBe(100)
    const long = { prompt: plainPrompt('x'.repeat(95)) }
    await expect(run({}, long)).rejects.toMatchObject({ info: { code: 'model/context-overflow' } })
  })
})
