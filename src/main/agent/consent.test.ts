import { describe, expect, it } from 'vitest'
import { playSession, stateAt } from '../../../tests/fakes/agent/agent-session.ts'
import { watchConsent } from '../../../tests/fakes/agent/consent-witness.ts'
import { drawMove } from '../../../tests/fakes/agent/hostile-moves.ts'
import { seededRandom } from '../../../tests/fakes/seeded-random.ts'
import { AgentState, newAgentState } from '../../shared/domain/session/agent-state.ts'

const write = {
  kind: 'world',
  callId: 'w',
  access: 'write',
  hash: 'h',
  stage: 'asked',
  record: null,
} as const
const gate = { gateId: 'g', kind: 'calls', items: [{ callId: 'w', hash: 'h' }] } as const
const gated = () =>
  stateAt('AWAITING_APPROVAL/U gate', { calls: [write], gates: [{ ...gate, items: [...gate.items] }] })
const answer = { callId: 'w', shownHash: 'h', hash: 'h', isPartial: false }

/** `TSUGI_SOAK` plays more and longer series. */
const isSoak = process.env.TSUGI_SOAK !== undefined
const seeds = isSoak ? Array.from({ length: 20 }, (_, index) => index + 1) : [1, 2]
const events = isSoak ? 10_000 : 3_000

describe('consent', () => {
  it.each(seeds)(`stands behind every effect on the world in ${events} random events, seed %i`, (seed) => {
    const random = seededRandom(seed)
    const session = playSession()
    const witness = watchConsent()
    const seen = new Set<string>()
    for (let count = 0; count < events; count++) {
      const event = drawMove(session.state, random, count)
      const given = session.state
      const before = count % 10 === 0 ? JSON.stringify(given) : null
      session.send(event)
      const problems = witness.watch(event, session.effects)
      if (problems.length > 0) expect.fail(`event ${count} ${JSON.stringify(event)}: ${problems.join('; ')}`)
      if (before !== null) {
        AgentState.parse(session.state)
        expect(JSON.stringify(given), `event ${count} changes the state that it was given`).toBe(before)
      }
      for (const effect of session.effects) if (effect.type === 'call.run') seen.add(effect.access)
    }
    expect(witness.worldEffects()).toBeGreaterThan(events / 50)
    expect([...seen].sort()).toEqual(['execute', 'read', 'write'])
  })

  it('runs an approved call with the record that names it', () => {
    const session = playSession(gated())
    session.send({ type: 'gate.approved', gateId: 'g', answers: [answer] })
    const record = { callId: 'w', by: 'user', name: null, hash: 'h' }
    expect(session.effects).toEqual([{ type: 'call.run', callId: 'w', access: 'write', record }])
  })

  it('takes refused hunks as the hash of what is left', () => {
    const session = playSession(gated())
    session.send({
      type: 'gate.approved',
      gateId: 'g',
      answers: [{ ...answer, hash: 'half', isPartial: true }],
    })
    expect(session.effectsOf('call.run')[0]?.record.hash).toBe('half')
  })

  it.each([
    ['another hash than was shown', [{ ...answer, shownHash: 'old' }]],
    ['another hash for the whole', [{ ...answer, hash: 'other' }]],
    ['nothing', []],
    ['all of it refused', [{ ...answer, hash: null }]],
    ['another call', [{ ...answer, callId: 'v' }]],
    ['more than was asked', [answer, { ...answer, callId: 'v' }]],
  ])('is not given by an approval of %s: the gate is shown again', (_, answers) => {
    const session = playSession(gated())
    session.send({ type: 'gate.approved', gateId: 'g', answers })
    expect(session.effects.map((effect) => effect.type)).toEqual(['notice', 'gate.show'])
    expect(session.state).toEqual(gated())
  })

  it('for one diff is none for the next: an outside change asks again', () => {
    const session = playSession(gated())
    session.send(
      { type: 'gate.void', gateId: 'g', items: [{ callId: 'w', hash: 'new' }] },
      { type: 'gate.approved', gateId: 'g', answers: [answer] },
    )
    expect(session.effectsOf('call.run')).toEqual([])
    session.send({
      type: 'gate.approved',
      gateId: 'g',
      answers: [{ ...answer, shownHash: 'new', hash: 'new' }],
    })
    expect(session.effectsOf('call.run')).toHaveLength(1)
  })

  it('that a call had is taken back when a gate opens over it', () => {
    const record = { callId: 'w', by: 'rule', name: null, hash: 'h' } as const
    const first = {
      ...write,
      callId: 'first',
      stage: 'running',
      record: { ...record, callId: 'first' },
    } as const
    const { turn } = newAgentState()
    const calls = [first, { ...write, stage: 'ready', record } as const]
    const session = playSession(stateAt('EXECUTION/P work', { calls, turn }))
    session.send({ type: 'gate.opened', gate: { ...gate, items: [{ callId: 'w', hash: 'new' }] } })
    session.send({ type: 'call.finished', callId: 'first', isOk: true })
    expect(session.effectsOf('call.run')).toEqual([])
    expect(session.state.calls).toEqual([{ ...write, hash: 'new' }])
  })

  it('is never what a rule says about a call that a gate asks about', () => {
    const session = playSession(gated())
    session.send({ type: 'consent.granted', records: [{ callId: 'w', by: 'mode', name: 'full', hash: 'h' }] })
    expect(session.state).toEqual(gated())
  })

  it.each(['user.stop', 'user.reset'] as const)('is not what %s gives: gates are withdrawn', (type) => {
    const session = playSession(gated())
    session.send({ type })
    expect(session.effectsOf('gate.withdraw')).toHaveLength(1)
    session.send({ type: 'gate.approved', gateId: 'g', answers: [answer] })
    expect(session.effectsOf('call.run')).toEqual([])
  })
})
