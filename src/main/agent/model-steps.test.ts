import { describe, expect, it } from 'vitest'
import {
  decision,
  placeOf,
  plan,
  playSession,
  stateAt,
  world,
} from '../../../tests/fakes/agent/agent-session.ts'
import { type AgentState, newAgentState } from '../../shared/domain/session/agent-state.ts'
import type { AgentEvent } from './agent-events.ts'

const { turn, counters } = newAgentState()
const staged = { callId: 'spec', hash: 's' }
const decided = (parts: Parameters<typeof decision>[0]): AgentEvent => ({
  type: 'model.decided',
  requestId: 1,
  decision: decision(parts),
})
const write = {
  kind: 'world',
  callId: 'w',
  access: 'write',
  hash: 'h',
  stage: 'asked',
  record: null,
} as const
const approval = () =>
  stateAt('AWAITING_APPROVAL/U gate', {
    calls: [write],
    gates: [{ gateId: 'g', kind: 'calls', items: [{ callId: 'w', hash: 'h' }] }],
  })

describe('what the model may ask (T1)', () => {
  const filled = { plan, course: { ...newAgentState().course, planBrief: ['edit chapter 1'] } }
  const rows: [from: string, to: AgentState['step'], parts: Partial<AgentState>, place: string][] = [
    ['PLANNING', 'PLANNING', {}, 'PLANNING/P work'],
    ['PLANNING', 'EXECUTION', filled, 'EXECUTION/P work'],
    ['PLANNING', 'EXECUTION', {}, 'PLANNING/P work'],
    ['PLANNING', 'EXECUTION', { ...filled, mode: 'plan' }, 'PLANNING/P work'],
    ['PLANNING', 'REVIEW', filled, 'REVIEW/P work'],
    ['PLANNING', 'REVIEW', {}, 'PLANNING/P work'],
    ['PLANNING', 'AWAITING_APPROVAL', filled, 'PLANNING/P gate'],
    ['PLANNING', 'AWAITING_APPROVAL', {}, 'PLANNING/P work'],
    ['EXECUTION', 'PLANNING', filled, 'EXECUTION/P work'],
    ['EXECUTION', 'EXECUTION', {}, 'EXECUTION/P work'],
    ['EXECUTION', 'REVIEW', {}, 'REVIEW/P work'],
    ['EXECUTION', 'AWAITING_APPROVAL', { staged }, 'EXECUTION/P gate'],
    ['EXECUTION', 'AWAITING_APPROVAL', {}, 'EXECUTION/P work'],
    ['REVIEW', 'PLANNING', filled, 'REVIEW/P work'],
    ['REVIEW', 'EXECUTION', {}, 'EXECUTION/P work'],
    ['REVIEW', 'REVIEW', {}, 'REVIEW/P work'],
    ['REVIEW', 'AWAITING_APPROVAL', { staged }, 'REVIEW/P gate'],
    ['REVIEW', 'AWAITING_APPROVAL', {}, 'REVIEW/P work'],
  ]
  it.each(rows)('%s asks for %s with %j', (from, to, parts, place) => {
    const session = playSession(stateAt(`${from}/P decision`, parts))
    session.send(decided({ step: to }))
    expect(placeOf(session.state)).toBe(place)
    const isGranted = placeOf(session.state) !== `${from}/P work`
    expect(session.state.counters.requested).toBe(isGranted ? 1 : 0)
    expect(session.state.counters.refusals).toBe(isGranted || from === to ? 0 : 1)
  })

  it('grants one request a message', () => {
    const used = { counters: { ...counters, requested: 1 } }
    const session = playSession(stateAt('REVIEW/P decision', used))
    session.send(decided({ step: 'EXECUTION' }))
    expect(placeOf(session.state)).toBe('REVIEW/P work')
    expect(session.effects).toContainEqual({
      type: 'notice',
      notice: { kind: 'step-refused', from: 'REVIEW', to: 'EXECUTION', why: 'spent' },
    })
  })

  it.each(['PLANNING', 'EXECUTION', 'REVIEW', 'AWAITING_APPROVAL'] as const)(
    'hears nothing while approval is awaited: %s',
    (to) => {
      const session = playSession(approval())
      session.send(decided({ step: to }), {
        type: 'model.called',
        requestId: 1,
        calls: [world('x', 'write')],
      })
      expect(session.state).toEqual(approval())
    },
  )
})

describe('what a decision leads to (T3)', () => {
  const work = { type: 'model.work', requestId: 2, step: 'EXECUTION' }
  const reply = (kind: string, about: string) => ({ type: 'model.reply', requestId: 2, kind, about })
  const rows: [AgentEvent, unknown][] = [
    [decided({ next_step: 'continue', prompt_pattern: 'base_main' }), reply('plain', '')],
    [decided({ next_step: 'continue' }), work],
    [
      decided({ next_step: 'pending_user', prompt_pattern: 'base_main' }),
      reply('question', 'the next thing to do'),
    ],
    [decided({ next_step: 'pending_user' }), reply('question', 'the next thing to do')],
    [decided({ next_step: 'defer', prompt_pattern: 'base_main' }), reply('defer', 'also the dog')],
    [decided({ next_step: 'defer' }), reply('defer', 'also the dog')],
    [decided({ next_step: 'done', prompt_pattern: 'base_main' }), reply('plain', '')],
    [decided({ next_step: 'done' }), work],
  ]
  it.each(rows)('%j', (event, effect) => {
    const asked =
      event.type === 'model.decided' ? { ...event.decision, step: 'EXECUTION' as const } : decision()
    const session = playSession(
      stateAt('EXECUTION/P decision', {
        turn: { ...turn, openRequestId: 1, lastRequestId: 1, message: 'also the dog' },
      }),
    )
    session.send({ type: 'model.decided', requestId: 1, decision: asked })
    expect(session.effects).toEqual([effect])
    expect(session.state.course.openQuestions).toEqual(asked.next_step === 'defer' ? ['also the dog'] : [])
  })

  it('waits for the acceptance of staged changes and calls no model when approval is asked for', () => {
    const session = playSession(stateAt('EXECUTION/P decision', { staged }))
    session.send(decided({ step: 'AWAITING_APPROVAL', next_step: 'pending_user' }))
    expect(session.effects).toEqual([])
    expect(session.state).toMatchObject({ waiting: 'gate', turn: { gateRequest: 'apply' } })
  })
})
