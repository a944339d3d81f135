import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { silentLog } from '../../../tests/fakes/silent-log.ts'
import type { ModelProfile } from '../../shared/domain/model/model-profile.ts'
import type { ModelUsage } from '../../shared/domain/model/model-status.ts'
import type { SuggestionAnswer, SuggestionAsk } from '../agent/model/agent-model.ts'
import { SuggestionCost } from './suggestion-cost.ts'
import { createSuggestionFilter } from './suggestion-filter.ts'
import { type GenerationInput, generateSuggestion } from './suggestion-generator.ts'
import { loadSuggestionWords } from './suggestion-words.ts'

const filterReason = createSuggestionFilter(
  await loadSuggestionWords(resolve(import.meta.dirname, '../../../resources')),
)

const common = {
  name: 'n',
  templateId: 'chatml',
  samplerPresetId: 's',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1 },
}
const embedded: ModelProfile = { ...common, id: 'p', backend: 'embedded', file: '/m.gguf' }
const address = 'https://api.example.com/v1'
const cloud: ModelProfile = { ...common, id: 'p', backend: 'openai', address, model: 'm', hasKey: true }
const quick: ModelProfile = { ...common, id: 'quick', backend: 'embedded', file: '/quick.gguf' }
const local = { main: embedded, fast: null }
const service = { main: cloud, fast: null }

function usage(reusedTokens: number): ModelUsage {
  return {
    promptTokens: 1_000,
    reusedTokens,
    isReuseEstimated: false,
    completionTokens: 4,
    msPrompt: 1,
    msTotal: 2,
    tokensPerSecond: 10,
    isExact: true,
  }
}

function said(
  text: string,
  more: Partial<Extract<SuggestionAnswer, { kind: 'answer' }>> = {},
): SuggestionAnswer {
  return {
    kind: 'answer',
    text,
    end: 'finished',
    isConstrained: false,
    usage: usage(990),
    modelName: 'm',
    expectedTokens: 990,
    ...more,
  }
}

function rig(
  answer: (ask: SuggestionAsk, signal: AbortSignal) => SuggestionAnswer | Promise<SuggestionAnswer>,
) {
  const clock = manualClock()
  const cost = new SuggestionCost()
  const asked: SuggestionAsk[] = []
  const abort = new AbortController()
  const run = (input: Partial<GenerationInput> = {}) =>
    generateSuggestion(
      { clock, log: silentLog, cost, filterReason },
      {
        models: local,
        sharesCache: true,
        reply: 'done it',
        async ask(ask, signal) {
          asked.push(ask)
          return answer(ask, signal)
        },
        ...input,
      },
      abort.signal,
    )
  return { clock, cost, asked, abort, run }
}

/** Never answers until it is stopped. */
function hanging(_ask: SuggestionAsk, signal: AbortSignal): Promise<SuggestionAnswer> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

describe('making a suggestion', () => {
  it('shows what passes the filter, and names the rule of what does not', async () => {
    expect(await rig(() => said(' run the tests \n')).run()).toMatchObject({ text: 'run the tests' })
    expect(await rig(() => said('Looks good!')).run()).toMatchObject({ text: null, reason: 'evaluative' })
    expect(await rig(() => said('  ')).run()).toMatchObject({ text: null, reason: 'empty' })
    expect(await rig(() => said('run the', { end: 'cut' })).run()).toMatchObject({
      text: null,
      reason: 'cut',
    })
  })

  it('asks nothing for an empty reply', async () => {
    const { run, asked } = rig(() => said('run it'))
    expect(await run({ reply: ' \n' })).toMatchObject({ text: null, reason: 'empty' })
    expect(asked).toEqual([])
  })

  it('tells a failure, but not what an abort brought', async () => {
    const failing = rig(() => Promise.reject(new Error('no server')))
    expect(await failing.run()).toMatchObject({ text: null, reason: 'error' })
    const stopped = rig(hanging)
    const running = stopped.run()
    stopped.abort.abort()
    expect(await running).toMatchObject({ text: null, reason: null })
    expect(stopped.clock.pending).toBe(0)
  })

  it('reads JSON of its own accord, and plain text only where the answer was free', async () => {
    const alone = (answer: SuggestionAnswer) => rig(() => answer).run({ models: service, sharesCache: false })
    expect(await alone(said('{"suggestion": "run it"}', { isConstrained: true }))).toMatchObject({
      text: 'run it',
    })
    expect(await alone(said('```json\n{"suggestion": "run it"}\n```'))).toMatchObject({ text: 'run it' })
    expect(await alone(said('{"suggestion": 5}'))).toMatchObject({ text: null, reason: 'empty' })
    expect(await alone(said('run it'))).toMatchObject({ text: 'run it' })
    expect(await alone(said('run it', { isConstrained: true }))).toMatchObject({ reason: 'empty' })
  })

  it('reads nothing anew on a server with one slot', async () => {
    const off = rig(() => said('run it'))
    expect(await off.run({ sharesCache: false })).toMatchObject({ reason: 'cache_sharing_off' })
    expect(off.asked).toEqual([])
    const cold = rig(({ strategy }) =>
      strategy === 'forked' ? { kind: 'lack', lack: 'no_shared_prefix' } : said('run it'),
    )
    expect(await cold.run()).toMatchObject({ reason: 'no_shared_prefix' })
    expect(await cold.run({ models: service })).toMatchObject({ text: 'run it' })
    expect(cold.asked.map(({ strategy }) => strategy)).toEqual(['forked', 'forked', 'standalone'])
  })

  it('turns thinking back on after one loss of the cache and stops after two, for that model only', async () => {
    const { run, asked, cost } = rig(() => said('run it', { usage: usage(100) }))
    expect(await run()).toMatchObject({ text: 'run it' })
    expect(await run()).toMatchObject({ text: 'run it' })
    expect(await run()).toMatchObject({ reason: 'paused_cache' })
    expect(asked.map(({ isThinkingOff }) => isThinkingOff)).toEqual([true, false])
    expect(cost.pause('another')).toBeNull()
    cost.resume()
    expect(await run()).toMatchObject({ text: 'run it' })
  })

  it('notices where the main conversation suffers, and forgives one loss', () => {
    const { cost } = rig(() => said('run it'))
    cost.wentOn('p', { expectedTokens: 1_000, reusedTokens: 10 })
    cost.wentOn('p', { expectedTokens: 1_000, reusedTokens: 1_000 })
    cost.wentOn('p', { expectedTokens: 1_000, reusedTokens: 10 })
    expect(cost.pause('p')).toBeNull()
    cost.wentOn('p', { expectedTokens: 1_000, reusedTokens: 10 })
    expect(cost.pause('p')).toBe('paused_cache')
  })

  it('is not fooled by suggestions that go well where the conversation is read anew after each', async () => {
    const { run, cost } = rig(() => said('run it'))
    for (let turn = 0; turn < 2; turn++) {
      expect(await run()).toMatchObject({ text: 'run it' })
      cost.wentOn('p', { expectedTokens: 1_000, reusedTokens: 3 })
      expect(cost.keepsCache('p')).toBe(false)
    }
    expect(await run()).toMatchObject({ reason: 'paused_cache' })
  })

  it('asks the fast model first, and the main one where that has nothing to offer', async () => {
    const both = { main: embedded, fast: quick }
    const fine = rig(() => said('run it'))
    expect(await fine.run({ models: both })).toMatchObject({ text: 'run it' })
    expect(fine.asked.map(({ role, strategy }) => [role, strategy])).toEqual([['fast', 'standalone']])

    const gone = rig(({ role }) =>
      role === 'fast' ? Promise.reject(new Error('no server')) : said('run it'),
    )
    expect(await gone.run({ models: both })).toMatchObject({ text: 'run it' })
    expect(gone.asked.map(({ role, strategy }) => [role, strategy])).toEqual([
      ['fast', 'standalone'],
      ['main', 'forked'],
    ])
    expect(await gone.run({ models: both, sharesCache: false })).toMatchObject({
      text: null,
      reason: 'cache_sharing_off',
    })
  })

  it('waits for a fast model no longer than for any, and lets it pause by itself', async () => {
    const { run, clock, asked, cost } = rig(hanging)
    const models = { main: embedded, fast: quick }
    for (let i = 0; i < 3; i++) {
      const running = run({ models })
      await clock.advance(10_000)
      expect(await running).toMatchObject({ reason: 'timeout' })
    }
    expect(cost.pauses()).toEqual([{ profileId: 'quick', reason: 'paused_timeouts' }])
    const running = run({ models })
    await clock.advance(10_000)
    await running
    expect(asked.map(({ role }) => role)).toEqual(['fast', 'fast', 'fast', 'main'])
  })

  it('does not wait for ever again for a fast model that cannot be reached', async () => {
    const { run, clock, cost } = rig(async ({ role }) => {
      if (role === 'main') return said('run it')
      await clock.advance(5_000)
      throw new Error('no answer from its machine')
    })
    const models = { main: embedded, fast: quick }
    for (let i = 0; i < 3; i++) expect(await run({ models })).toMatchObject({ text: 'run it' })
    expect(cost.pause('quick')).toBe('paused_timeouts')
    expect(cost.pause('p')).toBeNull()
  })

  it('tells what was spent also where nothing came of it', async () => {
    const late = rig(async (_ask, signal) => {
      await hanging(_ask, signal).catch(() => undefined)
      return said('run', { end: 'stopped' })
    })
    const running = late.run()
    await late.clock.advance(10_000)
    expect(await running).toMatchObject({ text: null, reason: 'timeout', usage: { promptTokens: 1_000 } })

    const stopped = rig(async (_ask, signal) => {
      await hanging(_ask, signal).catch(() => undefined)
      return said('run', { end: 'stopped' })
    })
    const gone = stopped.run()
    stopped.abort.abort()
    expect(await gone).toMatchObject({ text: null, reason: null, usage: { promptTokens: 1_000 } })

    const pushed = rig(() => said('run', { end: 'stopped' }))
    expect(await pushed.run()).toMatchObject({ text: null, reason: 'run_active' })
    expect(pushed.cost.pauses()).toEqual([])
  })

  it('gives up after ten seconds, becomes shorter, and stops after three running', async () => {
    const { run, clock, asked } = rig(hanging)
    for (let i = 0; i < 3; i++) {
      const running = run()
      await clock.advance(9_999)
      await clock.advance(1)
      expect(await running).toMatchObject({ text: null, reason: 'timeout' })
    }
    expect(await run()).toMatchObject({ reason: 'paused_timeouts' })
    expect(asked.map(({ isShort }) => isShort)).toEqual([false, true, true])
  })
})
