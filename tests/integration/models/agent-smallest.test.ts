import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { step } from '../../../src/main/agent/agent-machine.ts'
import { EngineProcess } from '../../../src/main/engine/engine-process.ts'
import { createEmbeddedClient } from '../../../src/main/models/embedded/embedded-client.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { dataFolderPath } from '../../../src/main/platform/files/data-folder.ts'
import { AgentState, newAgentState } from '../../../src/shared/domain/session/agent-state.ts'
import { decision, world } from '../../fakes/agent/agent-session.ts'
import { AgentTalk, activeModel, declarations } from '../../fakes/agent/agent-talk.ts'
import { templatePack } from '../../fakes/rigs/fake-draft.ts'
import { startEngineHere } from '../../fakes/rigs/models/engine-here.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'

const isSoak = process.env.TSUGI_SOAK !== undefined
const { platform, env } = process
const models = env.TSUGI_TEST_MODELS ?? join(dataFolderPath({ platform, env, home: homedir() }), 'models')
const smol = join(models, 'SmolLM2-135M-Instruct.Q4_1.gguf')

if (isSoak) vi.setConfig({ testTimeout: 3_600_000 })

let folder = ''
let noise = ''
const engines: EngineProcess[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsugi-smallest-'))
  noise = join(folder, 'noise.gguf')
  writeTinyGguf(noise, { seed: 7, contextTokens: 16_384 })
})
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.dispose()))
  rmSync(folder, { recursive: true, force: true })
})

function talkWith(file: string, contextTokens: number): AgentTalk {
  const engine = new EngineProcess(
    {
      spawnWorker: startEngineHere,
      clock: systemClock,
      log: { write: () => undefined, bug: () => 'x' },
    },
    { file, contextTokens },
  )
  engines.push(engine)
  const client = createEmbeddedClient(
    { clock: systemClock, engine },
    { template: templatePack('chatml'), contextTokens },
  )
  return new AgentTalk(activeModel(client))
}

/** Has Main decide about a new message, and passes the decision to the state machine. */
async function decideOnce(talk: AgentTalk): Promise<void> {
  const text = 'Change the title of the first chapter.'
  const { state } = step(newAgentState(), { type: 'user.message', text })
  Object.assign(talk, { state, log: [], turn: 0 })
  talk.say(text)
  const { decision } = await talk.decide()
  const requestId = state.turn.openRequestId ?? -1
  const next = step(state, { type: 'model.decided', requestId, decision })
  const isIgnored = next.effects.some(
    (effect) => effect.type === 'notice' && effect.notice.kind === 'ignored',
  )
  expect(isIgnored).toBe(false)
  expect(AgentState.safeParse(next.state).error).toBeUndefined()
  expect(next.state.waiting === 'decision').toBe(false)
}

const schemas = new Map(
  declarations.map(({ name, parameters }) => [name, z.fromJSONSchema(parameters as { type: 'object' })]),
)

/** Requests the planning's calls, which their tools must accept, and passes them to the state machine. */
async function callOnce(talk: AgentTalk): Promise<number> {
  const asked = step(newAgentState(), { type: 'user.message', text: 'Look into a file.' })
  const requestId = asked.state.turn.openRequestId ?? -1
  const working = step(asked.state, { type: 'model.decided', requestId, decision: decision() })
  Object.assign(talk, { state: working.state, log: [], turn: 0 })
  talk.say('Look into a file.')
  const { calls, end } = await talk.work('PLANNING')
  expect(end).toBe('finished')
  for (const { name, args } of calls)
    expect(schemas.get(name)?.safeParse(JSON.parse(args)).error).toBeUndefined()
  const proposed = calls.map(({ callId }) => world(callId, 'read'))
  const next = step(working.state, {
    type: 'model.called',
    requestId: working.state.turn.openRequestId ?? -1,
    calls: proposed,
  })
  expect(next.state.calls.map(({ callId }) => callId)).toEqual(calls.map(({ callId }) => callId))
  return calls.length
}

describe('a model of random weights', () => {
  const decisions = isSoak ? 200 : 1
  const times = isSoak ? 200 : 2

  it(`decides ${decisions} of ${decisions} times so that the machine takes it`, async () => {
    const talk = talkWith(noise, 4_608)
    for (let index = 0; index < decisions; index++) await decideOnce(talk)
  })

  it(`calls tools ${times} of ${times} times as they want it`, async () => {
    const talk = talkWith(noise, 4_608)
    let calls = 0
    for (let index = 0; index < times; index++) calls += await callOnce(talk)
    expect(calls).toBeGreaterThan(times / 4)
  })
})

describe.skipIf(!existsSync(smol))(
  'SmolLM2-135M (skipped where its file is not in TSUGI_TEST_MODELS)',
  () => {
    const times = isSoak ? 50 : 5

    it(`decides ${times} of ${times} times so that the machine takes it`, async () => {
      const talk = talkWith(smol, 4_096)
      for (let index = 0; index < times; index++) await decideOnce(talk)
    })

    it(`calls tools ${times} of ${times} times as they want it`, async () => {
      const talk = talkWith(smol, 4_096)
      for (let index = 0; index < times; index++) await callOnce(talk)
    })
  },
)
