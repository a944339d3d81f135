import { describe, expect, it } from 'vitest'
import {
  decision,
  noDelta,
  placeOf,
  plan,
  playSession,
  proposal,
  review,
  stateAt,
} from '../../../../tests/fakes/agent/agent-session.ts'
import type { AgentState } from '../../../shared/domain/session/agent-state.ts'
import { newAgentState } from '../../../shared/domain/session/agent-state.ts'
import type { AgentEvent } from '../agent-events.ts'
import { errorTable, hostTable } from './agent-tables.ts'

const turn = newAgentState().turn
const counters = newAgentState().counters
const write = {
  kind: 'world' as const,
  callId: 'w',
  access: 'write' as const,
  hash: 'h',
  stage: 'asked' as const,
  record: null,
}
const other = { ...write, callId: 'v' }
const gate = { gateId: 'g', kind: 'calls' as const, items: [{ callId: 'w', hash: 'h' }] }
const gate2 = { gateId: 'g2', kind: 'calls' as const, items: [{ callId: 'v', hash: 'h' }] }
const planGate = { gateId: 'p', kind: 'plan' as const, items: [{ callId: 'plan-1', hash: 'plan-hash' }] }
const staged = { callId: 'spec', hash: 's' }

const gated = { calls: [write], gates: [gate] }
const gatedTwice = { calls: [write, other], gates: [gate, gate2] }
const approval = (parts: Partial<AgentState> = gated) => stateAt('AWAITING_APPROVAL/U gate', parts)
const spent = { counters: { ...counters, recoveries: 2 } }
const approve = (gateId: string, callId: string, hash: string): AgentEvent => ({
  type: 'gate.approved',
  gateId,
  answers: [{ callId, shownHash: hash, hash, isPartial: false }],
})
const reject = (gateId: string, reason: string | null = null): AgentEvent => ({
  type: 'gate.rejected',
  gateId,
  reason,
})
const decided = (parts: Parameters<typeof decision>[0]): AgentEvent => ({
  type: 'model.decided',
  requestId: 1,
  decision: decision(parts),
})
const called = (...calls: Extract<AgentEvent, { type: 'model.called' }>['calls']): AgentEvent => ({
  type: 'model.called',
  requestId: 1,
  calls,
})
const reviewed = (verdict: 'approve' | 'revise' | 'reject') =>
  called({ kind: 'review', callId: 'r', report: review(verdict) })
const question = { kind: 'question' as const, callId: 'q', question: '?', stage: 'running' as const }

const directTurn = { ...turn, isDirect: true }
const direct = (place: string, parts: Partial<AgentState> = {}) =>
  stateAt(place, { ...parts, turn: { ...directTurn, openRequestId: 1, ...parts.turn } })
const directGate = (parts: Partial<AgentState> = gated) => approval({ ...parts, turn: directTurn })
const said = (text: string): AgentEvent => ({ type: 'model.answered', requestId: 1, text, calls: [] })

/** Row, from, event, to, and the place passed through. */
type Case = [id: string, from: AgentState, event: AgentEvent, to: string, via?: string]

const cases: Case[] = [
  ['user.reset/busy', approval(), { type: 'user.reset' }, 'PLANNING/P none'],
  ['user.reset', stateAt('EXECUTION/U'), { type: 'user.reset' }, 'PLANNING/P none'],
  ['user.message', stateAt('REVIEW/E'), { type: 'user.message', text: 'hi' }, 'REVIEW/P decision'],
  ['user.message/gate', approval(), { type: 'user.message', text: 'why?' }, 'AWAITING_APPROVAL/U gate'],
  [
    'decision.reply',
    stateAt('PLANNING/P decision'),
    decided({ prompt_pattern: 'base_main' }),
    'PLANNING/P reply',
  ],
  ['decision.work', stateAt('PLANNING/P decision'), decided({}), 'PLANNING/P work'],
  [
    'decision.check-failed',
    stateAt('EXECUTION/P decision'),
    decided({ constraint_check: { answer: 'no', reason: 'system file' } }),
    'EXECUTION/P reply',
  ],
  [
    'decision.refused-twice',
    stateAt('EXECUTION/P decision', { counters: { ...counters, refusals: 1 } }),
    decided({ step: 'PLANNING' }),
    'EXECUTION/U none',
  ],
  [
    'decision.gate',
    stateAt('PLANNING/P decision', { plan }),
    decided({ step: 'AWAITING_APPROVAL' }),
    'PLANNING/P gate',
  ],
  [
    'decision.gate',
    stateAt('PLANNING/P work'),
    called({ kind: 'plan', callId: 'p', hash: 'x', proposal: { ...proposal, risk: 'high' } }),
    'PLANNING/P gate',
  ],
  [
    'reply.finished',
    stateAt('EXECUTION/P reply'),
    { type: 'reply.finished', requestId: 1 },
    'EXECUTION/U none',
  ],
  [
    'reply.finished/question',
    stateAt('PLANNING/P reply', {
      turn: { ...turn, openRequestId: 1, reply: { kind: 'question', about: '' } },
    }),
    { type: 'reply.finished', requestId: 1 },
    'PLANNING/U none',
  ],
  [
    'reply.done/planning',
    stateAt('PLANNING/P reply', { turn: { ...turn, openRequestId: 1, isEnding: true } }),
    { type: 'reply.finished', requestId: 1 },
    'PLANNING/S none',
  ],
  [
    'reply.done/review',
    stateAt('REVIEW/P reply', { turn: { ...turn, openRequestId: 1, isEnding: true } }),
    { type: 'reply.finished', requestId: 1 },
    'PLANNING/S none',
    'REVIEW/SUCCESS',
  ],
  [
    'reply.done',
    stateAt('EXECUTION/P reply', { turn: { ...turn, openRequestId: 1, isEnding: true } }),
    { type: 'reply.finished', requestId: 1 },
    'EXECUTION/U none',
  ],
  [
    'reply.done',
    stateAt('PLANNING/P reply', {
      counters: { ...counters, calls: 1 },
      turn: { ...turn, openRequestId: 1, isEnding: true },
    }),
    { type: 'reply.finished', requestId: 1 },
    'PLANNING/U none',
  ],
  [
    'work.planning/on',
    stateAt('PLANNING/P work', { turn: { ...turn, openRequestId: 1, isContinued: true } }),
    { type: 'work.finished', requestId: 1 },
    'PLANNING/P decision',
    'PLANNING/SUCCESS',
  ],
  [
    'work.planning',
    stateAt('PLANNING/P work'),
    { type: 'work.finished', requestId: 1 },
    'PLANNING/U none',
    'PLANNING/SUCCESS',
  ],
  [
    'work.planning/limit',
    stateAt('PLANNING/P work', {
      counters: { ...counters, decisions: 4 },
      turn: { ...turn, openRequestId: 1, isContinued: true },
    }),
    { type: 'work.finished', requestId: 1 },
    'PLANNING/U none',
    'PLANNING/SUCCESS',
  ],
  [
    'work.execution',
    stateAt('EXECUTION/P work'),
    { type: 'work.finished', requestId: 1 },
    'REVIEW/P work',
    'EXECUTION/SUCCESS',
  ],
  ['work.review', stateAt('REVIEW/P work'), { type: 'work.finished', requestId: 1 }, 'REVIEW/U none'],
  [
    'question.asked',
    stateAt('EXECUTION/P work'),
    called({ kind: 'question', callId: 'q', question: '?' }),
    'EXECUTION/U answer',
  ],
  [
    'user.answer',
    stateAt('EXECUTION/U answer', { calls: [question] }),
    { type: 'user.answer', callId: 'q', text: 'yes' },
    'EXECUTION/P work',
  ],
  [
    'review.approve',
    stateAt('REVIEW/P work', { plan }),
    reviewed('approve'),
    'PLANNING/S none',
    'REVIEW/SUCCESS',
  ],
  ['review.approve/staged', stateAt('REVIEW/P work', { staged }), reviewed('approve'), 'REVIEW/P gate'],
  ['review.revise', stateAt('REVIEW/P work'), reviewed('revise'), 'EXECUTION/P work'],
  ['review.revise/again', stateAt('REVIEW/P work', spent), reviewed('revise'), 'REVIEW/U none'],
  [
    'gate.opened/calls',
    stateAt('EXECUTION/P work', { calls: [write], turn }),
    { type: 'gate.opened', gate },
    'AWAITING_APPROVAL/U gate',
  ],
  [
    'gate.opened/side',
    stateAt('REVIEW/P work', { calls: [write], turn }),
    { type: 'gate.opened', gate },
    'REVIEW/U gate',
  ],
  [
    'gate.opened/queued',
    approval({ calls: [write, other], gates: [gate] }),
    { type: 'gate.opened', gate: gate2 },
    'AWAITING_APPROVAL/U gate',
  ],
  [
    'gate.opened/plan',
    stateAt('PLANNING/P gate', { plan, turn: { ...turn, gateRequest: 'plan' } }),
    { type: 'gate.opened', gate: planGate },
    'AWAITING_APPROVAL/U gate',
  ],
  [
    'staged.accepted/reviewed',
    stateAt('REVIEW/P gate', { staged, turn: { ...turn, gateRequest: 'apply' } }),
    { type: 'staged.accepted' },
    'PLANNING/S none',
    'REVIEW/SUCCESS',
  ],
  [
    'staged.accepted',
    stateAt('EXECUTION/P work', { staged }),
    { type: 'staged.accepted' },
    'EXECUTION/P work',
  ],
  [
    'staged.accepted/ended',
    stateAt('EXECUTION/U', { staged }),
    { type: 'staged.accepted' },
    'EXECUTION/U none',
  ],
  [
    'consent.denied',
    stateAt('PLANNING/P gate', { plan, turn: { ...turn, gateRequest: 'plan' } }),
    { type: 'consent.denied', callIds: ['plan-1'], reason: 'rule' },
    'PLANNING/U none',
  ],
  ['gate.approved/more', approval(gatedTwice), approve('g', 'w', 'h'), 'AWAITING_APPROVAL/U gate'],
  ['gate.approved/calls', approval(), approve('g', 'w', 'h'), 'EXECUTION/P work'],
  ['gate.approved/side', stateAt('PLANNING/U gate', gated), approve('g', 'w', 'h'), 'PLANNING/P work'],
  [
    'gate.approved/plan',
    approval({ plan, gates: [planGate] }),
    approve('p', 'plan-1', 'plan-hash'),
    'EXECUTION/P work',
  ],
  [
    'user.carry-out/plan',
    stateAt('PLANNING/U', { plan, mode: 'plan' }),
    { type: 'user.carry-out' },
    'EXECUTION/P work',
  ],
  ['user.carry-out', stateAt('REVIEW/U', { mode: 'plan' }), { type: 'user.carry-out' }, 'REVIEW/P decision'],
  ['gate.rejected/reason', approval(), reject('g', 'keep the name'), 'PLANNING/P decision'],
  ['gate.rejected', approval(), reject('g'), 'PLANNING/U none'],
  ['gate.rejected/limit', approval({ ...gated, ...spent }), reject('g', 'keep the name'), 'PLANNING/U none'],
  ['gate.rejected/more', stateAt('REVIEW/U gate', gatedTwice), reject('g'), 'REVIEW/U gate'],
  ['gate.rejected/side', stateAt('REVIEW/U gate', gated), reject('g', 'not now'), 'REVIEW/P work'],
  [
    'gate.void/renewed',
    approval(),
    { type: 'gate.void', gateId: 'g', items: [{ callId: 'w', hash: 'new' }] },
    'AWAITING_APPROVAL/U gate',
  ],
  [
    'gate.void/more',
    approval(gatedTwice),
    { type: 'gate.void', gateId: 'g', items: null },
    'AWAITING_APPROVAL/U gate',
  ],
  ['gate.void', approval(), { type: 'gate.void', gateId: 'g', items: null }, 'EXECUTION/P work'],
  [
    'gate.void/plan',
    approval({ plan, gates: [planGate] }),
    { type: 'gate.void', gateId: 'p', items: null },
    'PLANNING/P decision',
  ],
  [
    'gate.void/plan-again',
    approval({ plan, gates: [planGate], counters: { ...counters, decisions: 4 } }),
    { type: 'gate.void', gateId: 'p', items: null },
    'PLANNING/U none',
  ],
  [
    'gate.void/side',
    stateAt('REVIEW/U gate', gated),
    { type: 'gate.void', gateId: 'g', items: null },
    'REVIEW/P work',
  ],
  [
    'call.finished',
    stateAt('EXECUTION/P work', {
      turn,
      calls: [{ ...write, stage: 'running', record: { callId: 'w', by: 'user', name: null, hash: 'h' } }],
    }),
    { type: 'call.finished', callId: 'w', isOk: false },
    'EXECUTION/P work',
  ],
  [
    'turn.adopted',
    stateAt('REVIEW/P work', { calls: [write] }),
    { type: 'turn.adopted', calls: [] },
    'REVIEW/P work',
  ],
  [
    'user.steer/direct',
    direct('EXECUTION/P work'),
    { type: 'user.steer', text: 'only the first' },
    'EXECUTION/P work',
  ],
  [
    'user.steer/gate',
    directGate(),
    { type: 'user.steer', text: 'only the first' },
    'AWAITING_APPROVAL/U gate',
  ],
  ['direct.reply', direct('PLANNING/P work'), said('Hello.'), 'PLANNING/S none'],
  ['direct.reply/changed', direct('EXECUTION/P work'), said('Done.'), 'PLANNING/S none', 'REVIEW/SUCCESS'],
  [
    'direct.reply/resumed',
    direct('EXECUTION/P work', { turn: { ...directTurn, openRequestId: 1, isResumed: true } }),
    said('It is the second file.'),
    'EXECUTION/U none',
  ],
  [
    'direct.review',
    direct('EXECUTION/P work', { plan: { ...plan, risk: 'medium' } }),
    said('Done.'),
    'REVIEW/P work',
  ],
  ['direct.staged', direct('EXECUTION/P work', { staged }), said('Done.'), 'REVIEW/P gate'],
  [
    'direct.silent',
    direct('PLANNING/P work', { turn: { ...directTurn, openRequestId: 1, isSilent: true } }),
    said(''),
    'PLANNING/U none',
  ],
  [
    'direct.defer',
    direct('EXECUTION/P work'),
    {
      type: 'model.answered',
      requestId: 1,
      text: 'Later.',
      calls: [{ kind: 'course', callId: 'x', delta: { ...noDelta, open_questions: ['which?'] } }],
    },
    'EXECUTION/U none',
  ],
  [
    'direct.limit',
    direct('PLANNING/P work', { counters: { ...counters, requests: 49 } }),
    { type: 'model.answered', requestId: 1, text: '', calls: [{ kind: 'invalid', callId: 'x' }] },
    'PLANNING/U none',
  ],
  [
    'consent.plan/direct',
    stateAt('PLANNING/P gate', { plan, turn: { ...directTurn, gateRequest: 'plan' } }),
    {
      type: 'consent.granted',
      records: [{ callId: 'plan-1', hash: 'plan-hash', by: 'grant', name: 'session' }],
    },
    'EXECUTION/P work',
  ],
  ['gate.rejected/direct', directGate(), reject('g', 'not this line'), 'EXECUTION/P work'],
  [
    'gate.rejected/direct-more',
    directGate(gatedTwice),
    reject('g', 'not this line'),
    'AWAITING_APPROVAL/U gate',
  ],
  [
    'gate.rejected/direct-plan',
    directGate({ plan, gates: [planGate] }),
    reject('p', 'smaller, please'),
    'PLANNING/P work',
  ],
  ['user.stop', stateAt('REVIEW/P reply'), { type: 'user.stop' }, 'REVIEW/U none'],
  ['user.stop/rest', stateAt('REVIEW/U'), { type: 'user.stop' }, 'REVIEW/U none'],
  ['user.stop/approval', approval(), { type: 'user.stop' }, 'PLANNING/U none'],
  ['crash.resume/gate', approval(), { type: 'crash.resume' }, 'AWAITING_APPROVAL/U gate'],
  ['crash.resume', stateAt('EXECUTION/P work'), { type: 'crash.resume' }, 'EXECUTION/U none'],
  [
    'error',
    stateAt('PLANNING/P decision'),
    { type: 'error', failure: 'decision-unreadable' },
    'PLANNING/E none',
  ],
  ['error/final', stateAt('EXECUTION/P work'), { type: 'error', failure: 'disk-full' }, 'EXECUTION/E none'],
  ['review.reject', stateAt('REVIEW/P work'), reviewed('reject'), 'REVIEW/E none'],
  ['staged.refused', stateAt('EXECUTION/U', { staged }), { type: 'staged.refused' }, 'REVIEW/E none'],
  ['recover', stateAt('EXECUTION/E'), { type: 'recover' }, 'PLANNING/P decision'],
  ['recover/again', stateAt('EXECUTION/E', spent), { type: 'recover' }, 'PLANNING/U none'],
]

describe('the tables, row by row', () => {
  it.each(cases)('%s', (id, from, event, to, via) => {
    const session = playSession(from)
    session.send(event)
    expect(placeOf(session.state)).toBe(to)
    expect(session.effects).not.toContainEqual({
      type: 'notice',
      notice: { kind: 'ignored', event: event.type },
    })
    const told = session.state.history.filter(({ cause }) => cause === id)
    const isMoving = from.step !== session.state.step || from.status !== session.state.status
    if (isMoving || via !== undefined) expect(told.length).toBeGreaterThan(0)
    expect(told.map((transition) => `${transition.to.step}/${transition.to.status}`)).toEqual(
      expect.arrayContaining(via === undefined ? [] : [via]),
    )
  })

  it.each(cases)(
    '%s: ends the turn where the row says so, in the history and as the last effect',
    (...row) => {
      const [id, from, event] = row
      const session = playSession(from)
      session.send(event)
      const ends = [...hostTable, ...errorTable]
        .find((known) => known.id === id)
        ?.actions.flatMap((action) => (action.type === 'turn.ended' ? [action.how] : []))
      expect(session.effectsOf('turn.ended').map(({ how }) => how)).toEqual(ends)
      const recorded = session.state.history.filter(({ cause, ended }) => cause === id && ended !== undefined)
      expect(recorded.map(({ ended }) => ended)).toEqual(ends)
      if (ends?.length === 1) expect(session.effects.at(-1)?.type).toBe('turn.ended')
    },
  )

  it('are all told', () => {
    const told = new Set(cases.map(([id]) => id))
    expect([...hostTable, ...errorTable].map((row) => row.id).filter((id) => !told.has(id))).toEqual([])
  })

  it('leave everything else as it is, and say so', () => {
    const from = stateAt('PLANNING/S')
    const session = playSession(from)
    session.send({ type: 'recover' })
    expect(session.state).toBe(from)
    expect(session.effects).toEqual([{ type: 'notice', notice: { kind: 'ignored', event: 'recover' } }])
  })

  it('show a failure that no turn is affected by', () => {
    const from = stateAt('PLANNING/S')
    const session = playSession(from)
    session.send({ type: 'error', failure: 'disk-full' })
    expect(session.state).toEqual(from)
    expect(session.effects).toEqual([{ type: 'failure.show', failure: 'disk-full' }])
  })

  it('use a recovery up and give the request back', () => {
    const from = stateAt('EXECUTION/E', { counters: { ...counters, requested: 1, recoveries: 1 } })
    const session = playSession(from)
    session.send({ type: 'recover' })
    expect(session.state.counters).toMatchObject({ requested: 0, recoveries: 2 })
  })
})
