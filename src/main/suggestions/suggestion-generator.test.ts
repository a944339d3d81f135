import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import type { ModelUsage } from '../../shared/domain/model-status.ts'
import type { SuggestionAnswer, SuggestionAsk } from '../agent/model/agent-model.ts'
import { silentLog } from '../platform/log.ts'
import { loadSuggestionWords } from './load-suggestion-words.ts'
import { SuggestionCost } from './suggestion-cost.ts'
import { createSuggestionFilter } from './suggestion-filter.ts'
import { type GenerationInput, generateSuggestion } from './suggestion-generator.ts'

const filterReason = createSuggestionFilter(
  await loadSuggestionWords(resolve(import.meta.dirname, '../../../resources')),
)

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

function bench(
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
        profileId: 'p',
        isSingleSlot: true,
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
    expect(await bench(() => said(' run the tests \n')).run()).toMatchObject({ text: 'run the tests' })
    expect(await bench(() => said('Looks good!')).run()).toMatchObject({ text: null, reason: 'evaluative' })
    expect(await bench(() => said('  ')).run()).toMatchObject({ text: null, reason: 'empty' })
    expect(await bench(() => said('run the', { end: 'cut' })).run()).toMatchObject({
      text: null,
      reason: 'cut',
    })
  })

  it('asks nothing for an empty reply', async () => {
    const { run, asked } = bench(() => said('run it'))
    expect(await run({ reply: ' \n' })).toMatchObject({ text: null, reason: 'empty' })
    expect(asked).toEqual([])
  })

  it('tells a failure, but not what an abort brought', async () => {
    const failing = bench(() => Promise.reject(new Error('no server')))
    expect(await failing.run()).toMatchObject({ text: null, reason: 'error' })
    const stopped = bench(hanging)
    const running = stopped.run()
    stopped.abort.abort()
    expect(await running).toMatchObject({ text: null, reason: null })
    expect(stopped.clock.pending).toBe(0)
  })

  it('reads JSON of its own accord, and plain text only where the answer was free', async () => {
    const alone = (answer: SuggestionAnswer) =>
      bench(() => answer).run({ isSingleSlot: false, sharesCache: false })
    expect(await alone(said('{"suggestion": "run it"}', { isConstrained: true }))).toMatchObject({
      text: 'run it',
    })
    expect(await alone(said('```json\n{"suggestion": "run it"}\n```'))).toMatchObject({ text: 'run it' })
    expect(await alone(said('{"suggestion": 5}'))).toMatchObject({ text: null, reason: 'empty' })
    expect(await alone(said('run it'))).toMatchObject({ text: 'run it' })
    expect(await alone(said('run it', { isConstrained: true }))).toMatchObject({ reason: 'empty' })
  })

  it('reads nothing anew on a server with one slot', async () => {
    const off = bench(() => said('run it'))
    expect(await off.run({ sharesCache: false })).toMatchObject({ reason: 'cache_sharing_off' })
    expect(off.asked).toEqual([])
    const cold = bench(({ way }) =>
      way === 'forked' ? { kind: 'lack', lack: 'no_shared_prefix' } : said('run it'),
    )
    expect(await cold.run()).toMatchObject({ reason: 'no_shared_prefix' })
    expect(await cold.run({ isSingleSlot: false })).toMatchObject({ text: 'run it' })
    expect(cold.asked.map(({ way }) => way)).toEqual(['forked', 'forked', 'standalone'])
  })

  it('turns thinking back on after one loss of the cache and stops after two, for that model only', async () => {
    const { run, asked, cost } = bench(() => said('run it', { usage: usage(100) }))
    expect(await run()).toMatchObject({ text: 'run it' })
    expect(await run()).toMatchObject({ text: 'run it' })
    expect(await run()).toMatchObject({ reason: 'paused_cache' })
    expect(asked.map(({ isThinkingOff }) => isThinkingOff)).toEqual([true, false])
    expect(cost.pause('another')).toBeNull()
    cost.resume()
    expect(await run()).toMatchObject({ text: 'run it' })
  })

  it('notices where the main conversation suffers, and forgives one loss', () => {
    const { cost } = bench(() => said('run it'))
    cost.wentOn('p', { expectedTokens: 1_000, reusedTokens: 10 })
    cost.wentOn('p', { expectedTokens: 1_000, reusedTokens: 1_000 })
    cost.wentOn('p', { expectedTokens: 1_000, reusedTokens: 10 })
    expect(cost.pause('p')).toBeNull()
    cost.wentOn('p', { expectedTokens: 1_000, reusedTokens: 10 })
    expect(cost.pause('p')).toBe('paused_cache')
  })

  it('gives up after ten seconds, becomes shorter, and stops after three running', async () => {
    const { run, clock, asked } = bench(hanging)
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
