import { describe, expect, it } from 'vitest'
import { decision, plan, playSession, stateAt } from '../../../tests/fakes/agent/agent-session.ts'
import type { CourseItem } from '../../shared/domain/session/agent-course.ts'
import type { StateDelta } from '../../shared/domain/session/agent-decision.ts'
import { AgentState, newAgentState } from '../../shared/domain/session/agent-state.ts'
import { countGraphemes } from '../../shared/text/graphemes.ts'
import { restoreAgentState, step } from './agent-machine.ts'
import { applyStateDelta, editCourse, proposedPatterns } from './course.ts'

const delta = (parts: Partial<StateDelta>): StateDelta => ({
  goal: null,
  why_now: null,
  constraints: null,
  plan_brief: null,
  open_questions: null,
  summary: '',
  ...parts,
})
const course = {
  goal: 'name the cat',
  whyNow: 'chapter 2 is next',
  constraints: ['keep the tense'],
  planBrief: ['find the name'],
  openQuestions: ['which cat?'],
}
const state = (parts: Partial<AgentState> = {}) => stateAt('PLANNING/P decision', { course, plan, ...parts })

describe('a state delta', () => {
  it('changes what it names and nothing else', () => {
    const change = applyStateDelta(
      state(),
      delta({ why_now: 'the user asks', open_questions: [], summary: 'answered' }),
    )
    expect(change.course).toEqual({ ...course, whyNow: 'the user asks', openQuestions: [] })
    expect(change).toMatchObject({ lastDelta: 'answered', plan, notices: [] })
    expect(applyStateDelta(state(), null)).toMatchObject({ course, notices: [] })
  })

  it('with a new goal clears plan and questions, then sets what it brings itself', () => {
    const change = applyStateDelta(state(), delta({ goal: 'name the dog', plan_brief: ['ask which dog'] }))
    expect(change.plan).toBeNull()
    expect(change.course).toEqual({
      ...course,
      goal: 'name the dog',
      planBrief: ['ask which dog'],
      openQuestions: [],
    })
    expect(applyStateDelta(state(), delta({ goal: course.goal })).plan).toEqual(plan)
  })

  it('only proposes what the user has pinned', () => {
    const pinned: CourseItem[] = ['goal', 'constraints']
    const change = applyStateDelta(state({ pinned }), delta({ goal: 'name the dog', constraints: [] }))
    expect(change).toMatchObject({ course, plan })
    expect(change.notices).toEqual([
      { kind: 'course-proposed', item: 'goal', value: 'name the dog' },
      { kind: 'course-proposed', item: 'constraints', value: [] },
    ])
  })

  it('is held to the limits, and the clipping is told', () => {
    const change = applyStateDelta(
      state(),
      delta({
        goal: `a\n${'猫'.repeat(300)}`,
        constraints: ['1', '2', '3'],
        plan_brief: ['👨‍👩‍👧'.repeat(150)],
      }),
    )
    expect(countGraphemes(change.course.goal)).toBe(200)
    expect(change.course.goal).toMatch(/^a 猫+…$/u)
    expect(change.course.constraints).toEqual(['1', '2'])
    expect(countGraphemes(change.course.planBrief[0] ?? '')).toBe(100)
    expect(change.notices).toEqual(
      ['goal', 'constraints', 'planBrief'].map((item) => ({ kind: 'clipped', item })),
    )
  })

  it('is applied before the checks: a goal that it brings can be missed', () => {
    const asked = decision({
      goal_consistency: { answer: 'no', reason: 'off the goal' },
      prompt_pattern: 'base_main',
    })
    const session = playSession(stateAt('PLANNING/P decision'))
    session.send({ type: 'model.decided', requestId: 1, decision: asked })
    expect(session.effects).toEqual([{ type: 'model.reply', requestId: 2, kind: 'plain', about: '' }])
    const second = playSession(stateAt('PLANNING/P decision'))
    const withGoal = { ...asked, state_delta: delta({ goal: 'name the cat' }) }
    second.send({ type: 'model.decided', requestId: 1, decision: withGoal })
    expect(second.effectsOf('model.reply')).toEqual([
      { type: 'model.reply', requestId: 2, kind: 'question', about: 'off the goal' },
    ])
  })
})

describe('the course panel', () => {
  it('pins what the user writes, within the limits, and lets go again', () => {
    const written = editCourse(state(), { kind: 'write', item: 'constraints', value: ['a', 'b', 'c'] })
    expect(written).toMatchObject({
      pinned: ['constraints'],
      notices: [{ kind: 'clipped', item: 'constraints' }],
    })
    expect(written.course.constraints).toEqual(['a', 'b'])
    const again = editCourse(
      { ...state(), pinned: ['constraints', 'goal'] },
      { kind: 'unpin', item: 'constraints' },
    )
    expect(again).toMatchObject({ pinned: ['goal'], course })
  })

  it('with a new goal clears the plan', () => {
    expect(editCourse(state(), { kind: 'write', item: 'goal', value: 'rest' })).toMatchObject({
      plan: null,
      course: { goal: 'rest', planBrief: [] },
    })
  })

  it('keeps a plan that the user wrote when the model proposes its own', () => {
    const session = playSession(stateAt('PLANNING/P work', { course, pinned: ['planBrief'] }))
    session.send({
      type: 'model.called',
      requestId: 1,
      calls: [{ kind: 'plan', callId: 'p', hash: 'h', proposal: { ...plan, title: 'other' } }],
    })
    expect(session.state.plan?.title).toBe('other')
    expect(session.state.course.planBrief).toEqual(course.planBrief)
  })

  it('is emptied by a reset, which keeps what was learned and decided', () => {
    const memory = {
      filesWritten: 3,
      operationsSucceeded: 5,
      learnedPatterns: ['run the tests'],
      corrections: [],
    }
    const session = playSession(state({ pinned: ['goal'], memory, decisionLog: ['one name'] }))
    session.send({ type: 'user.reset' })
    expect(session.state).toMatchObject({
      course: newAgentState().course,
      pinned: [],
      plan: null,
      memory,
      decisionLog: ['one name'],
    })
  })
})

describe('a stored state', () => {
  it('is restored as it was', () => {
    const stored = JSON.parse(JSON.stringify(state({ pinned: ['goal'] })))
    expect(restoreAgentState(stored)).toEqual({ state: state({ pinned: ['goal'] }), isReset: false })
  })

  it.each([
    ['nothing', undefined],
    ['of another shape', { step: 'PLANNING' }],
    ['with an unknown step', { ...state(), step: 'DONE' }],
    ['over a limit', { ...state(), course: { ...course, goal: 'x'.repeat(201) } }],
    ['with a reference over its limit', { ...state(), contextRefs: [`conversation:1 ${'x'.repeat(1_000)}`] }],
    ['with a reference of two lines', { ...state(), contextRefs: ['plan:one\ntwo'] }],
    ['with a reference that is no text', { ...state(), contextRefs: [3] }],
    [
      'with too many references',
      { ...state(), contextRefs: Array.from({ length: 21 }, (_, at) => `file:${at}`) },
    ],
    [
      'awaiting approval without a gate',
      { ...state(), step: 'AWAITING_APPROVAL', status: 'REQUIRES_USER_INPUT', waiting: 'gate' },
    ],
    [
      'with a call that may run without its record',
      {
        ...state(),
        calls: [{ kind: 'world', callId: 'w', access: 'write', hash: 'h', stage: 'ready', record: null }],
      },
    ],
    [
      'with a record for another hash',
      {
        ...state(),
        calls: [
          {
            kind: 'world',
            callId: 'w',
            access: 'write',
            hash: 'h',
            stage: 'ready',
            record: { callId: 'w', by: 'user', name: null, hash: 'other' },
          },
        ],
      },
    ],
  ])('that is %s starts anew', (_, stored) => {
    expect(restoreAgentState(stored)).toEqual({ state: newAgentState(), isReset: true })
  })

  it('keeps the last 200 transitions', () => {
    const session = playSession()
    for (let count = 0; count < 150; count++) {
      session.send({ type: 'user.message', text: 'hi' }, { type: 'user.stop' })
    }
    expect(session.state.history).toHaveLength(200)
    expect(session.state.history.at(-1)?.seq).toBeGreaterThan(250)
    expect(AgentState.safeParse(session.state).success).toBe(true)
  })
})

describe('what a project has learned', () => {
  const learn = (from: AgentState, pattern: string): AgentState => {
    const { notices: _, ...parts } = editCourse(from, { kind: 'learn', pattern })
    return { ...from, ...parts }
  }

  it('is what the user says is worth keeping: five lines, the newest', () => {
    const known = ['1', '2', '3', '4', '5', '3', ' 6\nwith more '].reduce(learn, newAgentState())
    expect(known.memory.learnedPatterns).toEqual(['2', '4', '5', '3', '6 with more'])
  })

  it('is forgotten when the user says so', () => {
    const known = ['use tabs', 'ask first'].reduce(learn, newAgentState())
    const { memory } = editCourse(known, { kind: 'forget', pattern: 'use tabs' })
    expect(memory.learnedPatterns).toEqual(['ask first'])
  })

  const correct = (from: AgentState, ...texts: string[]) => step(from, { type: 'user.corrected', texts })
  const proposal = { type: 'notice', notice: { kind: 'pattern-proposed', pattern: 'Use tabs.' } }

  it('is proposed at the third time, once, whatever its width, case and punctuation', () => {
    const once = correct(newAgentState(), 'use tabs', 'no jokes')
    const twice = correct(once.state, 'USE  TABS')
    expect([...once.effects, ...twice.effects]).toEqual([])
    const third = correct(twice.state, 'Use tabs.')
    expect(third.effects).toEqual([proposal])
    expect(third.state.memory.learnedPatterns).toEqual([])
    expect(proposedPatterns(third.state.memory)).toEqual(['Use tabs.'])
    expect(correct(third.state, 'use tabs').effects).toEqual([])
    const { memory } = learn(third.state, 'Use tabs.')
    expect(memory).toMatchObject({ learnedPatterns: ['Use tabs.'], corrections: [{ text: 'no jokes' }] })
    expect(proposedPatterns(memory)).toEqual([])
  })

  it.each(['decline', 'forget'] as const)('is not proposed again after a %s', (kind) => {
    const { memory } = editCourse(newAgentState(), { kind, pattern: 'Use tabs.' })
    const again = [1, 2, 3, 4].reduce((state) => correct(state, 'use tabs').state, newAgentState({ memory }))
    expect(proposedPatterns(again.memory)).toEqual([])
    expect(again.memory.corrections).toEqual([{ text: 'Use tabs.', times: 0, isDeclined: true }])
  })

  it('is counted for forty corrections, of which those that were declined stay', () => {
    const { memory } = editCourse(newAgentState(), { kind: 'decline', pattern: 'Use tabs.' })
    const texts = Array.from({ length: 60 }, (_, at) => `correction ${at}`)
    const { corrections } = correct(newAgentState({ memory }), ...texts).state.memory
    expect(corrections).toHaveLength(40)
    expect(corrections[0]).toEqual({ text: 'Use tabs.', times: 0, isDeclined: true })
    expect(corrections.at(-1)?.text).toBe('correction 59')
  })
})
