import { describe, expect, it } from 'vitest'
import {
  type AgentSession,
  placeOf,
  plan,
  playSession,
  review,
  stateAt,
  world,
} from '../../../tests/fakes/agent-session.ts'
import { AgentState, newAgentState } from '../../shared/domain/session/agent-state.ts'
import type { AgentEvent } from './agent-events.ts'

const staged = { callId: 'ahead', hash: 's' }
const merged = { callId: 'ahead', hash: 'merged' }
const { turn } = newAgentState()
const call = (callId: string, stage: 'asked' | 'ready' | 'running') => ({
  kind: 'world' as const,
  callId,
  access: 'write' as const,
  hash: 'h',
  stage,
  record: stage === 'asked' ? null : { callId, by: 'grant' as const, name: 'overlay', hash: 'h' },
})
const gate = { gateId: 'a', kind: 'apply' as const, items: [staged] }
const opened: AgentEvent = { type: 'gate.opened', gate }
const granted: AgentEvent = { type: 'consent.granted', records: [{ ...staged, by: 'mode', name: 'full' }] }
const approved: AgentEvent = {
  type: 'gate.approved',
  gateId: 'a',
  answers: [{ callId: 'ahead', shownHash: 's', hash: 's', isPartial: false }],
}
const applied: AgentEvent = { type: 'apply.finished' }
const places = ({ state }: AgentSession) => state.history.map(({ to }) => `${to.step}/${to.status}`)

/** Where a fork may stand when it is accepted. */
const standing: [what: string, state: AgentState][] = [
  ['after its last word', stateAt('EXECUTION/U none', { plan })],
  ['after its task', stateAt('PLANNING/S')],
  ['at a boundary', stateAt('EXECUTION/P work', { turn, calls: [call('b', 'asked'), call('c', 'asked')] })],
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

describe('accepting what was done ahead', () => {
  it.each(standing)('is asked about %s, and the session then stands there again', (_what, state) => {
    for (const consent of [[granted], [opened, approved]]) {
      const session = playSession(state)
      session.send({ type: 'staged.changed', staged: { callId: 'ahead', hash: 'before' } })
      session.send({ type: 'staged.accepted', staged })
      expect(session.effectsOf('gate.request')).toEqual([{ type: 'gate.request', kind: 'apply', ...staged }])
      session.send(...consent)
      expect(session.effectsOf('changes.apply')).toMatchObject([{ record: staged }])
      expect(placeOf(session.state)).toBe('EXECUTION/P applying')
      session.send(applied)
      expect(placeOf(session.state)).toBe(placeOf(state))
      expect(session.state).toMatchObject({ staged: null, plan: state.plan, gates: [] })
      AgentState.parse(session.state)
    }
  })

  it('ends the task where its review has approved it', () => {
    const session = playSession(stateAt('REVIEW/P work', { staged, plan }))
    session.send({
      type: 'model.called',
      requestId: 1,
      calls: [{ kind: 'review', callId: 'r', report: review('approve') }],
    })
    expect(placeOf(session.state)).toBe('REVIEW/P gate')
    session.send({ type: 'staged.accepted', staged: merged })
    session.send({ type: 'consent.granted', records: [{ ...merged, by: 'mode', name: 'full' }] }, applied)
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    expect(session.state).toMatchObject({ staged: null, plan: null })
    expect(session.state.plan).toBeNull()
  })

  it('takes back the consent to what was not done, and asks for it anew', () => {
    const session = playSession(
      stateAt('EXECUTION/P work', { turn, calls: [call('b', 'ready'), call('c', 'asked')] }),
    )
    session.send({ type: 'staged.accepted', staged }, granted)
    expect(session.effectsOf('call.run')).toEqual([])
    session.send(applied)
    expect(session.effects).toEqual([{ type: 'consent.ask', callIds: ['b', 'c'] }])
    expect(session.state.calls.map((open) => open.kind === 'world' && open.record)).toEqual([null, null])
  })

  it('waits for a call that runs, and is not asked twice', () => {
    const running = stateAt('EXECUTION/P work', { turn, calls: [call('b', 'running')] })
    const session = playSession(running)
    session.send({ type: 'staged.accepted', staged })
    expect(session.state).toBe(running)
    for (const state of [
      stateAt('AWAITING_APPROVAL/U gate', { staged, gates: [gate] }),
      stateAt('EXECUTION/P applying', { staged }),
      stateAt('EXECUTION/E'),
    ]) {
      const other = playSession(state)
      other.send({ type: 'staged.accepted', staged: merged })
      expect(other.state).toBe(state)
    }
  })

  it('is a rejected review where all of it is refused', () => {
    for (const [, state] of standing) {
      const session = playSession(state)
      session.send({ type: 'staged.accepted', staged }, opened)
      session.send({ type: 'gate.rejected', gateId: 'a', reason: 'not like this' })
      expect(placeOf(session.state)).toBe('REVIEW/E none')
      expect(session.state).toMatchObject({ staged: null, gates: [], calls: [] })
      expect(session.effects.at(-1)).toEqual({
        type: 'recovery.due',
        failure: 'review-rejected',
        isAutomatic: true,
      })
      expect(session.effectsOf('staged.discard')).toEqual([{ type: 'staged.discard', callId: 'ahead' }])
      session.send({ type: 'turn.taken', calls: [] })
      expect(placeOf(session.state)).toBe('PLANNING/P decision')
      expect(session.effectsOf('model.decide')).toHaveLength(1)
    }
  })

  it.each([
    ['denied', [{ type: 'consent.denied', callIds: ['ahead'], reason: 'rule' }]],
    ['no longer what it was', [opened, { type: 'gate.void', gateId: 'a', items: null }]],
  ] as [string, AgentEvent[]][])('leaves the session as it stood where it is %s', (_what, events) => {
    for (const [, state] of standing) {
      const session = playSession(state)
      session.send({ type: 'staged.accepted', staged }, ...events)
      expect(placeOf(session.state)).toBe(placeOf(state))
      expect(session.effectsOf('staged.discard')).toEqual([])
    }
  })

  it('comes back to its place also after a gate that was renewed', () => {
    const session = playSession(stateAt('EXECUTION/P work'))
    session.send({ type: 'staged.accepted', staged }, opened)
    session.send({ type: 'gate.void', gateId: 'a', items: [merged] })
    session.send({
      ...approved,
      answers: [{ callId: 'ahead', shownHash: 'merged', hash: 'merged', isPartial: false }],
    })
    session.send(applied)
    expect(placeOf(session.state)).toBe('EXECUTION/P work')
    expect(places(session)).toEqual(['AWAITING_APPROVAL/REQUIRES_USER_INPUT', 'EXECUTION/IN_PROGRESS'])
  })

  it.each<AgentEvent>([
    { type: 'user.message', text: 'something else' },
    { type: 'user.stop' },
    { type: 'error', failure: 'disk-full' },
    { type: 'crash.resume' },
  ])('is over with $type, and a later review ends the task', (event) => {
    const session = playSession(stateAt('REVIEW/P work'))
    session.send({ type: 'staged.accepted', staged }, event)
    expect(session.state.staged).toEqual(staged)
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
      type: 'turn.taken',
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
      [{ type: 'gate.request', kind: 'plan', callId: plan.callId, hash: plan.hash }],
    ],
  ] as const)('asks again for what is missing in %s', (place, parts, effects) => {
    const session = playSession(stateAt(place, parts as Partial<AgentState>))
    session.send({ type: 'turn.taken', calls: [] })
    expect(session.effects).toEqual(effects)
  })

  it('is nothing where nobody is waited for', () => {
    const state = stateAt('EXECUTION/U none')
    const session = playSession(state)
    session.send({ type: 'turn.taken', calls: [world('b', 'write')] })
    expect(session.state).toBe(state)
  })

  it('may have been stored before replies were kept', () => {
    const { turn: stored, ...rest } = newAgentState()
    const { reply: _, ...before } = stored
    expect(AgentState.parse({ ...rest, turn: before }).turn.reply).toBeNull()
  })
})
