import { describe, expect, it } from 'vitest'
import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import { newAgentState } from '../../shared/domain/session/agent-state.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'
import { endOf, hasRefusedReview } from './fork-end.ts'

const fresh = newAgentState()
const entry = (kind: PromptEntry['kind'], more: Partial<PromptEntry> = {}): PromptEntry => ({
  turn: 1,
  role: kind === 'result' ? 'tool' : 'assistant',
  kind,
  text: '',
  ...more,
})
const reviewed = entry('work', { calls: [{ callId: 'r', name: 'submit_review', args: '{}' }] })

function course(log: PromptEntry[], change: Partial<AgentState> = {}, entries = 0) {
  const state = { ...fresh, ...change } as AgentState
  return { state, log, from: { transitions: 3, entries } }
}

type Verdict = NonNullable<AgentState['history'][number]['review']>
function transitions(...verdicts: (Verdict | null)[]): AgentState['history'] {
  const place = { step: 'REVIEW', status: 'IN_PROGRESS' } as const
  return verdicts.map((review, index) => {
    const transition = { seq: index + 3, from: place, to: place, cause: 'x' }
    return review === null ? transition : { ...transition, review }
  })
}

describe('a fork that stands still', () => {
  it.each<[string, PromptEntry[], Partial<AgentState>, string | null]>([
    ['is complete with a reply', [entry('reply', { text: 'Done.' })], {}, null],
    ['or with work that ends in words', [entry('work', { text: 'Done.', calls: [] })], {}, null],
    ['but not with nothing', [], {}, 'empty'],
    ['not with white space', [entry('reply', { text: ' \n' })], {}, 'empty'],
    ['not with a decision', [entry('decision', { text: '{}' })], {}, 'empty'],
    ['not with the result of a call', [entry('reply', { text: 'I look.' }), entry('result')], {}, 'empty'],
    [
      'not with words and a call without a result',
      [entry('work', { text: 'I look.', calls: [{ callId: 'a', name: 'grep', args: '{}' }] })],
      {},
      'empty',
    ],
    [
      'is complete with an approving review',
      [reviewed, entry('result')],
      { history: transitions(null, 'approve') },
      null,
    ],
    [
      'also where its changes wait at their gate',
      [reviewed, entry('result')],
      {
        turn: { ...fresh.turn, gateRequest: 'apply' },
        waiting: 'gate',
        history: transitions(null, 'approve'),
      },
      null,
    ],
    [
      'not where a decision has asked for that gate',
      [entry('work', { text: 'Done.' }), entry('decision', { text: '{}' })],
      { turn: { ...fresh.turn, gateRequest: 'apply' }, waiting: 'gate', history: transitions(null, null) },
      'gate',
    ],
    [
      'not at the gate of a plan',
      [],
      { turn: { ...fresh.turn, gateRequest: 'plan' }, waiting: 'gate' },
      'gate',
    ],
    [
      'not after a review that wants more',
      [entry('reply', { text: 'Well.' })],
      { history: transitions(null, 'revise', 'approve') },
      'review',
    ],
  ])('%s', (_name, log, change, kind) => {
    expect(endOf(course(log, change))?.kind ?? null).toBe(kind)
  })

  it('says which question it stands at', () => {
    const calls = [{ kind: 'question', callId: 'q', question: 'Which one?', stage: 'running' }] as const
    const end = endOf(course([], { waiting: 'answer', status: 'REQUIRES_USER_INPUT', calls: [...calls] }))
    expect(end).toEqual({ kind: 'question', callId: 'q', title: 'Which one?' })
  })

  it('counts only what has happened in it', () => {
    const history = transitions('revise')
    expect(hasRefusedReview(course([], { history }))).toBe(false)
    expect(endOf(course([entry('reply', { text: 'Before.' })], {}, 1))?.kind).toBe('empty')
  })
})
