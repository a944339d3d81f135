import { describe, expect, it } from 'vitest'
import {
  decision,
  placeOf,
  plan,
  playSession,
  proposal,
  review,
  stateAt,
  world,
} from '../../../tests/fakes/agent/agent-session.ts'
import type { AgentDecision } from '../../shared/domain/session/agent-decision.ts'
import { type AgentState, newAgentState } from '../../shared/domain/session/agent-state.ts'
import type { AgentEvent, ProposedCall } from './agent-events.ts'

function play(state = newAgentState()) {
  const session = playSession(state)
  const decide = (parts: Partial<AgentDecision>) =>
    session.send({ type: 'model.decided', requestId: session.requestId(), decision: decision(parts) })
  const call = (...calls: ProposedCall[]) =>
    session.send({ type: 'model.called', requestId: session.requestId(), calls })
  const grant = (...callIds: string[]) =>
    session.send({
      type: 'consent.granted',
      records: callIds.map((callId) => ({ callId, by: 'rule', name: 'scope', hash: `hash of ${callId}` })),
    })
  const finish = (callId: string, isOk = true) => session.send({ type: 'call.finished', callId, isOk })
  return { session, decide, call, grant, finish }
}
const gateOver = (gateId: string, ...callIds: string[]): AgentEvent => ({
  type: 'gate.opened',
  gate: { gateId, kind: 'calls', items: callIds.map((callId) => ({ callId, hash: `hash of ${callId}` })) },
})
const approve = (gateId: string, ...callIds: string[]): AgentEvent => ({
  type: 'gate.approved',
  gateId,
  answers: callIds.map((callId) => {
    const hash = `hash of ${callId}`
    return { callId, shownHash: hash, hash, isPartial: false }
  }),
})

describe('a session', () => {
  it('goes from a message over plan, gated edit, command and review to the end', () => {
    const { session, decide, call, grant, finish } = play()
    session.send({ type: 'user.message', text: 'rename the cat' })
    expect(session.effects).toEqual([{ type: 'model.decide', requestId: 1 }])
    decide({ step: 'PLANNING' })
    call({ kind: 'plan', callId: 'p', hash: 'h', proposal })
    expect(session.effects.map((effect) => effect.type)).toEqual(['call.result', 'model.decide'])
    decide({ step: 'EXECUTION' })
    call(world('edit', 'write'), world('test', 'execute'))
    expect(session.effects).toEqual([{ type: 'consent.ask', callIds: ['edit', 'test'] }])
    session.send(gateOver('g1', 'edit'), gateOver('g2', 'test'))
    session.send(approve('g1', 'edit'))
    // The edit is on disk before the gate of the command that shall see it is decided.
    expect(session.effectsOf('call.run').map((run) => run.callId)).toEqual(['edit'])
    expect(placeOf(session.state)).toBe('AWAITING_APPROVAL/U gate')
    finish('edit')
    session.send(approve('g2', 'test'))
    expect(session.effectsOf('call.run').map((run) => run.callId)).toEqual(['test'])
    finish('test')
    expect(session.effects).toEqual([{ type: 'model.work', requestId: 5, step: 'EXECUTION' }])
    session.send({ type: 'work.finished', requestId: 5 })
    expect(session.effects).toEqual([{ type: 'model.work', requestId: 6, step: 'REVIEW' }])
    call(world('look', 'read'))
    grant('look')
    finish('look')
    call({ kind: 'review', callId: 'r', report: review('approve') })
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    expect(session.state.plan).toBeNull()
    expect(session.state.memory).toMatchObject({ filesWritten: 1, operationsSucceeded: 3 })
    expect(session.state.history.map(({ cause }) => cause)).toContain('model/PLANNING-EXECUTION')
  })

  it('runs the calls of an answer one after the other, in its order', () => {
    const { session, call, grant, finish } = play(stateAt('EXECUTION/P work'))
    call(world('a', 'read'), world('b', 'write'), world('c', 'read'))
    grant('b', 'c')
    expect(session.effectsOf('call.run')).toEqual([])
    grant('a')
    expect(session.effectsOf('call.run').map((run) => run.callId)).toEqual(['a'])
    finish('a', false)
    expect(session.effectsOf('call.run').map((run) => run.callId)).toEqual(['b'])
    expect(placeOf(session.state)).toBe('EXECUTION/P work')
  })

  it.each([
    ['PLANNING', world('w', 'write'), 'read-only-step'],
    ['PLANNING', world('w', 'execute'), 'read-only-step'],
    ['PLANNING', world('w', 'execute', true), null],
    ['REVIEW', world('w', 'write'), 'read-only-step'],
    ['REVIEW', world('w', 'execute'), null],
    ['EXECUTION', { kind: 'plan', callId: 'w', hash: 'h', proposal }, 'wrong-step'],
    ['EXECUTION', { kind: 'review', callId: 'w', report: review('approve') }, 'wrong-step'],
    ['EXECUTION', { kind: 'invalid', callId: 'w' }, 'invalid'],
  ] as const)('in %s gives %j the result %s', (step, proposed, outcome) => {
    const { session, call } = play(stateAt(`${step}/P work`))
    call(proposed)
    if (outcome === null) expect(session.effects).toEqual([{ type: 'consent.ask', callIds: ['w'] }])
    else expect(session.effects[0]).toEqual({ type: 'call.result', callId: 'w', outcome, reason: null })
  })

  it('changes nothing in mode plan, whatever the step', () => {
    const { session, call } = play(stateAt('EXECUTION/P work', { mode: 'plan' }))
    call(world('a', 'write'), world('b', 'execute'), world('c', 'execute', true))
    expect(session.effectsOf('call.result').map((result) => result.outcome)).toEqual([
      'plan-mode',
      'plan-mode',
    ])
    expect(session.effectsOf('consent.ask')).toEqual([{ type: 'consent.ask', callIds: ['c'] }])
  })

  it('takes a new task after a stop in its work: by a decision to plan, or by a plan', () => {
    for (const source of ['decision', 'call'] as const) {
      const { session, decide, call } = play(stateAt('EXECUTION/P work', { plan }))
      session.send({ type: 'user.stop' })
      session.send({ type: 'user.message', text: 'rename the constant instead' })
      decide({ step: source === 'decision' ? 'PLANNING' : 'EXECUTION' })
      expect(session.effectsOf('notice')).toEqual([])
      call({ kind: 'plan', callId: 'p2', hash: 'h2', proposal })
      expect(session.state.plan?.callId).toBe('p2')
      expect(placeOf(session.state)).toBe('PLANNING/P decision')
    }
  })

  it('keeps an accepted plan whatever words the goal is put in later', () => {
    const goal = (text: string): Partial<AgentDecision> => ({
      state_delta: {
        goal: text,
        why_now: null,
        constraints: null,
        plan_brief: null,
        open_questions: null,
        summary: '',
      },
    })
    const { session, decide, call } = play()
    session.send({ type: 'user.message', text: 'fix the typo' })
    decide({ step: 'PLANNING', ...goal('Fix the typo in README.md') })
    call({ kind: 'plan', callId: 'p', hash: 'h', proposal })
    decide({ step: 'EXECUTION', ...goal('Fix the README typo') })
    expect(session.state.plan?.callId).toBe('p')
    expect(session.state.course.goal).toBe('Fix the README typo')
    session.send({ type: 'user.stop' })
    session.send({ type: 'user.message', text: 'go on' })
    decide({ step: 'EXECUTION', ...goal('Correct README.md') })
    expect(session.state.plan?.callId).toBe('p')
    session.send({ type: 'user.stop' })
    session.send({ type: 'user.message', text: 'something else' })
    decide({ step: 'PLANNING', ...goal('Write a poem') })
    expect(session.state.plan).toBeNull()
  })

  it('carries a plan of mode plan out by one press, in the mode before it', () => {
    const { session, decide, call } = play(newAgentState({ mode: 'auto-edit' }))
    session.send({ type: 'user.mode', mode: 'plan' }, { type: 'user.message', text: 'plan it' })
    decide({ step: 'PLANNING' })
    call({ kind: 'plan', callId: 'p', hash: 'h', proposal })
    expect(session.effectsOf('gate.request')).toMatchObject([{ callId: 'p' }])
    session.send({
      type: 'gate.opened',
      gate: { gateId: 'g', kind: 'plan', items: [{ callId: 'p', hash: 'h' }] },
    })
    const answers = [{ callId: 'p', shownHash: 'h', hash: 'h', isPartial: false }]
    session.send({ type: 'gate.approved', gateId: 'g', answers })
    expect([placeOf(session.state), session.state.mode]).toEqual(['EXECUTION/P work', 'auto-edit'])
    expect(session.effectsOf('notice').map(({ notice }) => notice)).toEqual([
      { kind: 'plan-mode-left', mode: 'auto-edit' },
    ])
    // The button of an earlier turn does nothing any more.
    session.send({ type: 'user.mode', mode: 'full' }, { type: 'user.carry-out' })
    expect(session.state.mode).toBe('full')
  })

  it('offers to carry out what was answered on the direct path after mode plan refused a change, without any plan', () => {
    const { session } = play(stateAt('PLANNING/S none', { mode: 'plan', modeBefore: 'full' }))
    const answer = (text: string, ...calls: ProposedCall[]) =>
      session.send({ type: 'model.answered', requestId: session.requestId(), text, calls })
    const offer = { type: 'notice', notice: { kind: 'leave-plan-mode' } }
    session.send({ type: 'user.message', text: 'what is there?' })
    answer('Two files.')
    expect(session.effects).not.toContainEqual(offer)
    session.send({ type: 'user.message', text: 'mend it' })
    answer('', world('w', 'write'))
    answer('I would change the port.')
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    expect(session.effects).toContainEqual(offer)
    session.send({ type: 'user.carry-out' })
    expect([session.state.mode, placeOf(session.state)]).toEqual(['full', 'PLANNING/P decision'])
    session.send({ type: 'user.message', text: 'and now?' })
    answer('Nothing.')
    expect(session.effects).not.toContainEqual(offer)
  })

  const bad = (callId: string): ProposedCall => ({ kind: 'invalid', callId })

  it('carries out what is usable of an answer, however much of it is not', () => {
    const { session, call, grant } = play(stateAt('EXECUTION/P work'))
    call(bad('1'), bad('2'), bad('3'), world('a', 'read'), bad('4'))
    expect(session.effectsOf('call.result').map(({ callId, outcome }) => `${callId} ${outcome}`)).toEqual(
      ['1', '2', '3', '4'].map((callId) => `${callId} invalid`),
    )
    expect(session.effectsOf('consent.ask')).toEqual([{ type: 'consent.ask', callIds: ['a'] }])
    grant('a')
    expect(session.effectsOf('call.run').map(({ callId }) => callId)).toEqual(['a'])
    expect(placeOf(session.state)).toBe('EXECUTION/P work')
  })

  it('fails at the third answer running without a usable call, and at the call after the fiftieth', () => {
    const { session, call, grant, finish } = play(stateAt('EXECUTION/P work'))
    call(bad('1'), bad('2'), bad('3'))
    call(bad('4'))
    call(bad('5'), world('a', 'read'))
    grant('a')
    finish('a')
    call(bad('6'))
    call(bad('7'))
    expect(placeOf(session.state)).toBe('EXECUTION/P work')
    call(bad('8'), bad('9'))
    expect(placeOf(session.state)).toBe('EXECUTION/E none')
    expect(session.effectsOf('call.result')).toHaveLength(2)
    expect(session.effects.at(-1)).toEqual({
      type: 'recovery.due',
      failure: 'invalid-calls',
      isAutomatic: true,
    })
    const other = play(stateAt('EXECUTION/P work'))
    other.call(...Array.from({ length: 51 }, (_, index) => world(`c${index}`, 'read')))
    expect(placeOf(other.session.state)).toBe('EXECUTION/E none')
    expect(other.session.effectsOf('call.result')).toHaveLength(51)
    expect(other.session.effectsOf('call.run')).toEqual([])
  })

  it('gives every call a result when it is stopped, and waits for what runs before it asks a model again', () => {
    const { session, call, grant, finish } = play(stateAt('EXECUTION/P work'))
    call(world('a', 'execute'), world('b', 'write'))
    grant('a', 'b')
    session.send({ type: 'user.stop' })
    expect(session.effects).toEqual([
      { type: 'call.result', callId: 'b', outcome: 'stopped', reason: null },
      { type: 'call.stop', callId: 'a' },
      { type: 'turn.ended', how: 'stopped' },
    ])
    session.send({ type: 'user.message', text: 'go on' })
    expect(session.effects).toEqual([])
    finish('a', false)
    expect(session.effectsOf('model.decide')).toHaveLength(1)
  })

  it('ignores the answer to a request that a steering message has ended', () => {
    const { session } = play(stateAt('EXECUTION/P work'))
    session.send({ type: 'user.steer', text: 'use tabs' })
    expect(session.effects).toEqual([
      { type: 'model.abort', requestId: 1 },
      { type: 'model.decide', requestId: 2 },
    ])
    const before = session.state
    session.send({ type: 'model.called', requestId: 1, calls: [world('late', 'write')] })
    expect(session.state).toBe(before)
  })

  it('answers a message beside while a gate is open', () => {
    const { session, call } = play(stateAt('EXECUTION/P work'))
    call(world('a', 'write'))
    session.send(gateOver('g', 'a'), { type: 'user.message', text: 'why this file?' })
    expect(session.effects).toEqual([{ type: 'message.beside', text: 'why this file?' }])
  })

  it('runs nothing more of an answer after a refusal, and plans anew with its reason', () => {
    const { session, call } = play(stateAt('EXECUTION/P work'))
    call(world('a', 'write'), world('b', 'execute'), world('c', 'read'))
    session.send(gateOver('g1', 'a'), gateOver('g2', 'b'))
    session.send({ type: 'gate.rejected', gateId: 'g1', reason: 'not this file' })
    expect(session.effects).toEqual([
      { type: 'call.result', callId: 'a', outcome: 'rejected', reason: 'not this file' },
      { type: 'gate.withdraw', gateId: 'g2' },
      { type: 'call.result', callId: 'b', outcome: 'not-run', reason: null },
      { type: 'call.result', callId: 'c', outcome: 'not-run', reason: null },
      { type: 'model.decide', requestId: 2 },
    ])
    expect(session.state.counters.recoveries).toBe(1)
  })

  describe('to-dos that are written behind other calls', () => {
    const todos = [{ text: 'edit chapter 1', isDone: true }]
    const todo = { kind: 'todo', callId: 't', todos } as const
    const isDone = (state: AgentState) => state.plan?.todos.map((one) => one.isDone)

    it('are not done while a gate asks about what they say, and then are', () => {
      const { session, call, finish } = play(stateAt('EXECUTION/P work', { plan }))
      call(world('a', 'write'), todo)
      session.send(gateOver('g', 'a'))
      expect(isDone(session.state)).toEqual([false])
      session.send(approve('g', 'a'))
      expect(isDone(session.state)).toEqual([false])
      finish('a')
      expect(isDone(session.state)).toEqual([true])
      expect(session.effects).toEqual([
        { type: 'call.result', callId: 't', outcome: 'accepted', reason: null },
        { type: 'model.work', requestId: 2, step: 'EXECUTION' },
      ])
    })

    it('count at once where nothing stands before them', () => {
      const { session, call } = play(stateAt('EXECUTION/P work', { plan }))
      call(todo, world('a', 'write'))
      expect(isDone(session.state)).toEqual([true])
    })

    it.each([
      ['fails', [{ type: 'call.finished', callId: 'b', isOk: false }]],
      ['is denied', [{ type: 'consent.denied', callIds: ['b'], reason: 'rule' }]],
      ['is refused', [gateOver('g', 'b'), { type: 'gate.rejected', gateId: 'g', reason: null }]],
      ['is void', [gateOver('g', 'b'), { type: 'gate.void', gateId: 'g', items: null }]],
    ] as [string, AgentEvent[]][])('are not written where a call before them %s', (how, events) => {
      const { session, call, grant, finish } = play(stateAt('EXECUTION/P work', { plan }))
      call(world('a', 'read'), world('b', 'write'), todo, world('c', 'read'))
      grant('a')
      finish('a')
      if (how === 'fails') grant('b')
      session.send(...events)
      expect(isDone(session.state)).toEqual([false])
      expect(session.effectsOf('call.result')).toContainEqual(
        expect.objectContaining({ callId: 't', outcome: 'not-run' }),
      )
      expect(session.state.calls.map(({ kind }) => kind)).not.toContain('todo')
    })
  })

  it('repeats nothing by itself after a crash', () => {
    const { session, call, grant } = play(stateAt('EXECUTION/P work'))
    call(world('a', 'execute'), world('b', 'write'))
    grant('a', 'b')
    session.send({ type: 'crash.resume' })
    expect(session.effects).toEqual([
      { type: 'call.result', callId: 'a', outcome: 'interrupted', reason: null },
      { type: 'call.result', callId: 'b', outcome: 'not-run', reason: null },
      { type: 'notice', notice: { kind: 'continue-after-crash' } },
      { type: 'turn.ended', how: 'failed' },
    ])
    expect(placeOf(session.state)).toBe('EXECUTION/U none')
  })

  it('shows open gates again after a crash, and keeps only what they ask about', () => {
    const { session, call, grant } = play(stateAt('EXECUTION/P work'))
    call(world('a', 'execute'), world('b', 'write'))
    grant('a')
    session.send(gateOver('g', 'b'), { type: 'crash.resume' })
    expect(session.effects.map((effect) => effect.type)).toEqual(['call.result', 'gate.show'])
    session.send(approve('g', 'b'))
    expect(session.effectsOf('call.run').map((run) => run.callId)).toEqual(['b'])
  })

  it('asks before a risky plan, and lets a standing consent pass', () => {
    const { session, call } = play(stateAt('PLANNING/P work'))
    call({ kind: 'plan', callId: 'p', hash: 'h', proposal: { ...proposal, risk: 'high' } })
    expect(session.effectsOf('gate.request')).toEqual([{ type: 'gate.request', callId: 'p', hash: 'h' }])
    session.send({ type: 'consent.granted', records: [{ callId: 'p', by: 'mode', name: 'full', hash: 'h' }] })
    expect(placeOf(session.state)).toBe('PLANNING/U none')
  })

  it('asks before a plan that deletes, however small the model calls its risk', () => {
    const { session, call } = play(stateAt('PLANNING/P work'))
    const steps = [{ text: 'remove the old one', kind: 'delete' as const, path: 'old.ts' }]
    call({ kind: 'plan', callId: 'p', hash: 'h', proposal: { ...proposal, steps, risk: 'low' } })
    expect(session.effectsOf('gate.request')).toHaveLength(1)
    expect(placeOf(session.state)).toBe('PLANNING/P gate')
  })

  it('is done once the staged changes that its review approved are applied', () => {
    const staged = { callId: 's', hash: 'hash of s' }
    const { session, call } = play(stateAt('REVIEW/P work', { staged }))
    call({ kind: 'review', callId: 'r', report: review('approve') })
    session.send({ type: 'staged.accepted' })
    expect(session.effects).toEqual([{ type: 'turn.ended', how: 'done' }])
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    expect(session.state.staged).toBeNull()
  })

  it('ends the turn with a failure only where nothing tries it again by itself', () => {
    const { session } = play(stateAt('EXECUTION/P work'))
    session.send({ type: 'error', failure: 'model-failed' })
    expect(session.effectsOf('turn.ended')).toEqual([])
    session.send({ type: 'recover' }, { type: 'error', failure: 'disk-full' })
    expect(session.effects.at(-1)).toEqual({ type: 'turn.ended', how: 'failed' })
    expect(session.state.history.at(-1)).toMatchObject({ cause: 'error/final', ended: 'failed' })
  })

  it('gives up after two recoveries, until the user speaks', () => {
    const { session } = play(stateAt('EXECUTION/P work'))
    const fail: AgentEvent[] = [{ type: 'error', failure: 'model-failed' }, { type: 'recover' }]
    session.send(...fail, ...fail)
    expect(placeOf(session.state)).toBe('PLANNING/P decision')
    session.send(...fail)
    expect(placeOf(session.state)).toBe('PLANNING/U none')
    expect(session.effects).toEqual([
      { type: 'notice', notice: { kind: 'limit', limit: 'recoveries' } },
      { type: 'turn.ended', how: 'limit' },
    ])
    session.send({ type: 'user.message', text: 'again' })
    expect(session.state.counters).toMatchObject({ recoveries: 0, decisions: 1 })
  })
})
