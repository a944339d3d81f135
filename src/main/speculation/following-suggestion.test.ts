import { expect, it } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { setStage } from '../../../tests/fakes/sessions/runner-stage.ts'
import { silentLog } from '../../../tests/fakes/silent-log.ts'
import type { SuggestionAnswer } from '../agent/model/agent-model.ts'
import { SuggestionCost } from '../suggestions/suggestion-cost.ts'
import { type NextSuggestionDeps, suggestAfter } from './following-suggestion.ts'
import type { SpeculationRun } from './speculation-run.ts'

const answer: SuggestionAnswer = {
  kind: 'answer',
  text: 'commit it',
  end: 'finished',
  isConstrained: false,
  usage: {
    promptTokens: 100,
    reusedTokens: 90,
    isReuseEstimated: false,
    completionTokens: 3,
    msPrompt: 2,
    msTotal: 7,
    tokensPerSecond: 600,
    isExact: true,
  },
  modelName: 'm',
  expectedTokens: 90,
}

/** A session with a reply, and the end of a run in a fork that added none. */
function rig({ hasOpenGate = false, isKnown = true } = {}) {
  const { session } = setStage()
  const said = { kind: 'answer', purpose: 'reply', state: 'finished', text: 'Done.', reasoning: '' } as const
  session.add({ ...said, isCut: false, usage: null, modelName: 'm', isDemo: false })
  const fork = { session: setStage().session, model: { suggest: async () => answer } }
  const deps = {
    clock: manualClock(),
    log: silentLog,
    cost: new SuggestionCost(),
    filterReason: () => null,
    host: { known: () => (isKnown ? { session } : undefined), hasOpenGate: () => hasOpenGate },
    workSettings: { switches: () => ({ enableCacheSharing: true }) },
    models: async () => ({ main: { id: 'm', backend: 'embedded' }, fast: null }),
  } as unknown as NextSuggestionDeps
  const run = { fork } as unknown as SpeculationRun
  return { session, fork, suggest: () => suggestAfter(deps, run, new AbortController().signal) }
}

it('is made behind the last reply of fork or session; the session counts its request, and the fork does not', async () => {
  const { session, fork, suggest } = rig()
  expect(await suggest()).toBe('commit it')
  const counted = { requests: 1, promptTokens: 100, reusedTokens: 90, completionTokens: 3, modelMs: 7 }
  expect(session.record.stats).toMatchObject(counted)
  expect(fork.session.record.stats.requests).toBe(0)
})

it('is not asked for while the user has a gate to read, or once the session is closed', async () => {
  for (const options of [{ hasOpenGate: true }, { isKnown: false }]) {
    const { session, suggest } = rig(options)
    expect(await suggest()).toBeNull()
    expect(session.record.stats.requests).toBe(0)
  }
})
