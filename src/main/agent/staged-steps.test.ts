import { describe, expect, it } from 'vitest'
import {
  placeOf,
  plan,
  playSession,
  review,
  stateAt,
  world,
} from '../../../tests/fakes/agent/agent-session.ts'
import { AgentState, newAgentState } from '../../shared/domain/session/agent-state.ts'
import type { AgentEvent } from './agent-events.ts'

const staged = { callId: 'ahead', hash: 's' }
const { turn } = newAgentState()
const call = (callId: string, stage: 'asked' | 'ready' | 'running') => ({
  kind: 'world' as const,
  callId,
  access: 'write' as const,
  hash: 'h',
  stage,
  record: stage === 'asked' ? null : { callId, by: 'grant' as const, name: 'overlay', hash: 'h' },
})
const accepted: AgentEvent = { type: 'staged.accepted' }
const refused: AgentEvent = { type: 'staged.refused' }

/** Where a fork may stand when it is accepted. */
const standing: [what: string, state: AgentState][] = [
  ['after its last word', stateAt('EXECUTION/U none', { plan })],
  ['after its task', stateAt('PLANNING/S')],
  ['at a boundary', stateAt('EXECUTION/P work', { turn, calls: [call('b', 'asked'), call('c', 'asked')] })],
  [
    'at a call that is not made in a speculation',
    stateAt('EXECUTION/P work', { turn, calls: [{ kind: 'boundary', callId: 'b', stage: 'waiting' }] }),
  ],
  ['at a risky plan', stateAt('PLANNING/P gate', { plan, turn: { ...turn, gateRequest: 'plan' } })],
  [
    'at a question',
    stateAt('REVIEW/U answer', {
      calls: [{ kind: 'question', callId: 'q', question: '?', stage: 'running' }],
    }),
  ],
  ['before an answer of the model', stateAt('REVIEW/P work')],
  ['before a decision', stateAt('PLANNING/P decision')],
  [
    'before a reply',
    stateAt('EXECUTION/P reply', { turn: { ...turn, reply: { kind: 'question', about: 'x' } } }),
  ],
]

describe('accepting a speculation', () => {
  it.each(standing)('leaves the session where it stands %s', (_what, state) => {
    const session = playSession(state)
    session.send({ type: 'staged.changed', staged }, accepted)
    expect(placeOf(session.state)).toBe(placeOf(state))
    expect(session.effects).toEqual([])
    expect(session.state).toMatchObject({ staged: null, plan: state.plan, gates: [] })
    AgentState.parse(session.state)
  })

  it('ends the task where its review has approved it', () => {
    const session = playSession(stateAt('REVIEW/P work', { staged, plan }))
    session.send({
      type: 'model.called',
      requestId: 1,
      calls: [{ kind: 'review', callId: 'r', report: review('approve') }],
    })
    expect(placeOf(session.state)).toBe('REVIEW/P gate')
    expect(session.state.history.at(-1)).toMatchObject({ review: 'approve' })
    session.send(accepted)
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    expect(session.state).toMatchObject({ staged: null, plan: null })
    expect(session.effects).toEqual([{ type: 'turn.ended', how: 'done' }])
  })

  it('takes the closing text of the direct path for the review', () => {
    const at = { ...turn, isDirect: true, hasChanged: true, reviewing: 'passed', openRequestId: 1 } as const
    const session = playSession(stateAt('EXECUTION/P work', { staged, turn: at }))
    session.send({ type: 'model.answered', requestId: 1, text: 'Done.', calls: [] })
    expect(placeOf(session.state)).toBe('REVIEW/P gate')
    expect(session.state.history.at(-1)).toMatchObject({ review: 'approve' })
    expect(session.state.turn.gateRequest).toBe('apply')
  })

  it('takes back the consent to what was not done, and asks for it anew', () => {
    const session = playSession(
      stateAt('EXECUTION/P work', { turn, calls: [call('b', 'ready'), call('c', 'asked')] }),
    )
    session.send({ type: 'staged.changed', staged }, accepted)
    expect(session.state.calls.map((open) => open.kind === 'world' && open.record)).toEqual([null, null])
    session.send({ type: 'turn.adopted', calls: [world('b', 'write'), world('c', 'write')] })
    expect(session.effects).toEqual([{ type: 'consent.ask', callIds: ['b', 'c'] }])
  })

  it('waits for a call that runs, and is nothing where the speculation has failed', () => {
    for (const state of [
      stateAt('EXECUTION/P work', { turn, calls: [call('b', 'running')] }),
      stateAt('EXECUTION/E'),
    ])
      for (const event of [accepted, refused]) {
        const session = playSession(state)
        session.send(event)
        expect(session.state).toBe(state)
      }
  })

  it('ends the turn as it has ended in the speculation, once the session has it', () => {
    const reply = { kind: 'question' as const, about: '' }
    const asked = stateAt('PLANNING/P reply', { turn: { ...turn, openRequestId: 1, reply } })
    for (const [from, how] of [
      [asked, 'asked'],
      [stateAt('EXECUTION/P reply'), 'replied'],
    ] as const) {
      const session = playSession(from)
      session.send({ type: 'reply.finished', requestId: 1 })
      session.send({ type: 'staged.changed', staged }, accepted)
      expect(session.effects).toEqual([{ type: 'turn.ended', how }])
    }
  })

  it('is a rejected review where all of it is refused, with a result for each call', () => {
    for (const [, state] of standing) {
      const session = playSession(state)
      session.send({ type: 'staged.changed', staged }, refused)
      expect(placeOf(session.state)).toBe('REVIEW/E none')
      expect(session.state).toMatchObject({ staged: null, gates: [], calls: [] })
      AgentState.parse(session.state)
      const results = state.calls.map(({ callId }) => ({
        type: 'call.result',
        callId,
        outcome: 'not-run',
        reason: null,
      }))
      expect(session.effects).toEqual(results)
      session.send({ type: 'turn.adopted', calls: [] })
      expect(placeOf(session.state)).toBe('PLANNING/P decision')
      expect(session.effectsOf('model.decide')).toHaveLength(1)
    }
  })
})

describe('a boundary among the calls of an answer', () => {
  it('is told of behind the calls before it, and never runs, whoever grants it', () => {
    const session = playSession(stateAt('EXECUTION/P work', { turn: { ...turn, openRequestId: 1 } }))
    const calls = [world('a', 'read'), { kind: 'boundary' as const, callId: 'b' }]
    session.send({ type: 'model.called', requestId: 1, calls })
    expect(session.effects).toEqual([{ type: 'consent.ask', callIds: ['a', 'b'] }])
    const records = ['a', 'b'].map((callId) => ({
      callId,
      by: 'grant' as const,
      name: 'overlay',
      hash: `hash of ${callId}`,
    }))
    session.send({ type: 'consent.granted', records })
    expect(session.effectsOf('call.run').map(({ callId }) => callId)).toEqual(['a'])
    session.send({ type: 'call.finished', callId: 'a', isOk: true })
    expect(session.effectsOf('call.run')).toEqual([])
    expect(session.effectsOf('model.work')).toEqual([])
    expect(session.state.calls).toEqual([{ kind: 'boundary', callId: 'b', stage: 'waiting' }])
    session.send({ type: 'user.stop' })
    expect(session.effectsOf('call.result')).toMatchObject([{ callId: 'b', outcome: 'stopped' }])
  })
})

describe('a speculation that stopped at a call', () => {
  it.each(['staged.accepted', 'staged.refused'] as const)(
    '%s: knows nothing of the calls behind it',
    (type) => {
      const calls = [call('b', 'asked'), call('c', 'asked')]
      const session = playSession(stateAt('EXECUTION/P work', { turn, calls, staged }))
      session.send({ type, boundary: 'b' })
      const told = session.effectsOf('call.result').map(({ callId }) => callId)
      expect([...session.state.calls.map(({ callId }) => callId), ...told]).toEqual(['b'])
    },
  )
})

describe('a call of which a speculation keeps nothing', () => {
  const left = stateAt('EXECUTION/P work', { turn, calls: [call('a', 'running'), call('b', 'asked')] })

  it('is a boundary: nothing runs, and the changes before it can be accepted', () => {
    const session = playSession(left)
    session.send({ type: 'staged.changed', staged }, { type: 'call.left', callId: 'a' })
    expect(session.state.calls[0]).toEqual({ kind: 'boundary', callId: 'a', stage: 'waiting' })
    expect(session.effects).toEqual([])
    session.send(accepted)
    expect(session.state.staged).toBeNull()
  })

  it('is only one that runs', () => {
    const session = playSession(left)
    session.send({ type: 'call.left', callId: 'b' })
    expect(session.state).toBe(left)
  })
})

describe('a turn that was begun elsewhere', () => {
  it('goes on with calls as if the model had just made them, and counts them once', () => {
    const counters = { ...newAgentState().counters, calls: 3 }
    const session = playSession(
      stateAt('EXECUTION/P work', {
        turn: { ...turn, openRequestId: 4 },
        calls: [call('b', 'ready')],
        counters,
      }),
    )
    session.send({
      type: 'turn.adopted',
      calls: [world('b', 'execute'), { kind: 'question', callId: 'q', question: '?' }],
    })
    expect(session.effects).toEqual([{ type: 'consent.ask', callIds: ['b'] }])
    expect(session.state.counters.calls).toBe(4)
    expect(session.state.turn.openRequestId).toBeNull()
  })

  it.each([
    ['EXECUTION/P work', {}, [{ type: 'model.work', requestId: 2, step: 'EXECUTION' }]],
    ['PLANNING/P decision', {}, [{ type: 'model.decide', requestId: 2 }]],
    [
      'EXECUTION/P reply',
      { turn: { ...turn, lastRequestId: 1, reply: { kind: 'question', about: 'x' } } },
      [{ type: 'model.reply', requestId: 2, kind: 'question', about: 'x' }],
    ],
    [
      'PLANNING/P gate',
      { plan, turn: { ...turn, gateRequest: 'plan' } },
      [{ type: 'gate.request', callId: plan.callId, hash: plan.hash }],
    ],
  ] as const)('asks again for what is missing in %s', (place, parts, effects) => {
    const session = playSession(stateAt(place, parts as Partial<AgentState>))
    session.send({ type: 'turn.adopted', calls: [] })
    expect(session.effects).toEqual(effects)
  })

  it('is nothing where nobody is waited for', () => {
    const state = stateAt('EXECUTION/U none')
    const session = playSession(state)
    session.send({ type: 'turn.adopted', calls: [world('b', 'write')] })
    expect(session.state).toBe(state)
  })

  it('may have been stored before replies were kept', () => {
    const { turn: stored, ...rest } = newAgentState()
    const { reply: _, ...before } = stored
    expect(AgentState.parse({ ...rest, turn: before }).turn.reply).toBeNull()
  })
})
