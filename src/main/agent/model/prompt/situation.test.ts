import { describe, expect, it } from 'vitest'
import { prompts } from '../../../../../tests/fakes/agent/agent-talk.ts'
import type { AgentPlan } from '../../../../shared/domain/session/agent-plan.ts'
import { newAgentState } from '../../../../shared/domain/session/agent-state.ts'
import { situationOf } from './situation.ts'

describe('the line of the session', () => {
  const session = { sessionId: 's-1', conversations: 12, updatedAt: Date.UTC(2026, 10, 23, 9, 5) }

  it.each([
    ['en', 'This session: s-1, 12 conversations so far, last update 2026-11-23T09:05Z'],
    ['ja', 'このセッション: s-1、これまでの会話 12 件、最後の更新 2026-11-23T09:05Z'],
  ] as const)('stands once, where everything is told: %s', (language, line) => {
    const { lines, once } = situationOf({
      state: newAgentState(),
      words: prompts[language].situation,
      session,
    })
    expect(once.session).toBe(line)
    expect(Object.values(lines).join()).not.toContain('s-1')
  })

  it('counts one thing as one', () => {
    const state = newAgentState()
    const said = (files: number, operations: number, conversations: number) => {
      const memory = { ...state.memory, filesWritten: files, operationsSucceeded: operations }
      const words = prompts.en.situation
      return situationOf({ state: { ...state, memory }, words, session: { ...session, conversations } }).once
    }
    expect(said(1, 1, 1)).toMatchObject({
      memory: 'So far: 1 file written, 1 operation succeeded',
      session: 'This session: s-1, 1 conversation so far, last update 2026-11-23T09:05Z',
    })
    expect(said(0, 2, 2).memory).toBe('So far: 0 files written, 2 operations succeeded')
  })

  it('is left out before the first conversation has ended', () => {
    expect(situationOf({ state: newAgentState(), words: prompts.en.situation }).once).not.toHaveProperty(
      'session',
    )
  })
})

describe('references of a session', () => {
  const plan = { title: 'name the cat', todos: [] } as unknown as AgentPlan
  const contextRefs = [
    'file:cat.md',
    'plan:name the dog',
    'conversation:3 how is it called?',
    'plan:name the cat',
  ]

  it.each([
    ['en', 'Related', '(no longer the current plan)'],
    ['ja', '関連するもの', '(今の計画ではない)'],
  ] as const)('say which plan is no longer the current one: %s', (language, name, former) => {
    const words = prompts[language].situation
    const related = (change: object) =>
      situationOf({ state: { ...newAgentState(), contextRefs, ...change }, words }).once.contextRefs
    const lines = (...plans: string[]) =>
      [`${name}:`, 'file:cat.md', plans[0], 'conversation:3 how is it called?', plans[1]].join('\n- ')
    expect(related({ plan })).toBe(lines(`plan:name the dog ${former}`, 'plan:name the cat'))
    expect(related({})).toBe(lines(`plan:name the dog ${former}`, `plan:name the cat ${former}`))
    expect(related({ contextRefs: [] })).toBeUndefined()
  })

  it('say how many older ones are missing', () => {
    const left = { contextRefs: 3, decisionLog: 0, openQuestions: 0, planBrief: 0 }
    const state = { ...newAgentState(), plan, contextRefs }
    const { once } = situationOf({ state, words: prompts.en.situation }, left)
    expect(once.contextRefs).toBe('Related:\n- plan:name the cat\n(left out for want of room: 3)')
  })
})
