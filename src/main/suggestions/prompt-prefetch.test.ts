import { expect, it } from 'vitest'
import { silentLog } from '../../../tests/fakes/silent-log.ts'
import type { ModelProfile } from '../../shared/domain/model/model-profile.ts'
import type { ModelUsage } from '../../shared/domain/model/model-status.ts'
import { PromptPrefetch } from './prompt-prefetch.ts'
import { SuggestionCost } from './suggestion-cost.ts'

const common = {
  id: 'p',
  name: 'n',
  templateId: 'chatml',
  samplerPresetId: 's',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1 },
}
const embedded: ModelProfile = { ...common, backend: 'embedded', file: '/m.gguf' }
const address = 'https://api.example.com/v1'
const cloud: ModelProfile = { ...common, backend: 'openai', address, model: 'm', hasKey: true }

function rig({ main = embedded, sharesCache = true, reusedTokens = 990 } = {}) {
  const cost = new SuggestionCost()
  const read: string[] = []
  const counted: ModelUsage[] = []
  const usage: ModelUsage = {
    promptTokens: 1_040,
    reusedTokens,
    isReuseEstimated: false,
    completionTokens: 1,
    msPrompt: 1,
    msTotal: 2,
    tokensPerSecond: 1,
    isExact: true,
  }
  const prefetch = new PromptPrefetch({
    log: silentLog,
    cost,
    sharesCache: () => sharesCache,
    models: async () => ({ main, fast: null }),
    async preRead(text) {
      read.push(text)
      return { usage, expectedTokens: 1_000 }
    },
    count: (one) => void counted.push(one),
  })
  const run = async (text: string) => {
    prefetch.begin(text)
    await prefetch.idle()
  }
  return { cost, read, counted, run, prefetch }
}

it('reads a message on a local model, and counts what it cost', async () => {
  const { read, counted, run, cost } = rig()
  await run('run the tests')
  expect(read).toEqual(['run the tests'])
  expect(counted.map(({ promptTokens }) => promptTokens)).toEqual([1_040])
  expect(cost.keepsCache('p')).toBe(true)
})

it.each(['/review', '!ls -l', 'look at @notes.md'])(
  'does not read what is more than a message: %s',
  async (text) => {
    const { read, run } = rig()
    await run(text)
    expect(read).toEqual([])
  },
)

it('reads nothing on a service, and nothing where the cache is not to be shared', async () => {
  for (const { read, run } of [rig({ main: cloud }), rig({ sharesCache: false })]) {
    await run('run the tests')
    expect(read).toEqual([])
  }
})

it('stops where the conversation had to be read again', async () => {
  const { read, run, cost } = rig({ reusedTokens: 12 })
  await run('run the tests')
  await run('run them again')
  expect(read).toEqual(['run the tests'])
  expect(cost.keepsCache('p')).toBe(false)
})

it('is over at once when the model is wanted', async () => {
  const { read, prefetch } = rig()
  prefetch.begin('run the tests')
  prefetch.end()
  await prefetch.idle()
  expect(read).toEqual([])
})
