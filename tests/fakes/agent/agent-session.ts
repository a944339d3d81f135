import type { AgentEffect, AgentEvent, ProposedCall } from '../../../src/main/agent/agent-events.ts'
import { step } from '../../../src/main/agent/agent-machine.ts'
import type { AgentDecision, StateDelta } from '../../../src/shared/domain/session/agent-decision.ts'
import type { AgentPlan, PlanProposal, ReviewReport } from '../../../src/shared/domain/session/agent-plan.ts'
import { AgentState, newAgentState } from '../../../src/shared/domain/session/agent-state.ts'
import type { AgentStatus, AgentStep, AgentWaiting } from '../../../src/shared/domain/session/agent-step.ts'

const letters: Record<string, AgentStatus> = {
  P: 'IN_PROGRESS',
  S: 'SUCCESS',
  E: 'ERROR',
  U: 'REQUIRES_USER_INPUT',
}

export const proposal: PlanProposal = {
  title: 'Rename the cat',
  purpose: 'one name in every chapter',
  steps: [{ text: 'edit chapter 1', kind: 'write', path: '001.txt' }],
  risk: 'low',
  successCriteria: 'grep finds the old name nowhere',
}
export const plan: AgentPlan = {
  ...proposal,
  callId: 'plan-1',
  hash: 'plan-hash',
  todos: [{ text: 'edit chapter 1', isDone: false }],
}

export function review(verdict: ReviewReport['verdict']): ReviewReport {
  return { rating: 'fair', problems: [], improvements: [], verdict }
}

export function decision(parts: Partial<AgentDecision> = {}): AgentDecision {
  return {
    rationale: 'the next thing to do',
    goal_consistency: { answer: 'yes', reason: 'it serves the goal' },
    constraint_check: { answer: 'yes', reason: 'nothing is broken' },
    next_step: 'continue',
    step: 'PLANNING',
    prompt_pattern: 'base_main_specialized',
    state_delta: null,
    ...parts,
  }
}

export function world(
  callId: string,
  access: 'read' | 'write' | 'execute',
  isReadOnly = access === 'read',
): ProposedCall {
  return { kind: 'world', callId, access, isReadOnly, hash: `hash of ${callId}` }
}

/** A change of the course that changes nothing. */
export const noDelta: StateDelta = {
  goal: null,
  why_now: null,
  constraints: null,
  plan_brief: null,
  open_questions: null,
  summary: '',
}

/**
 * Returns a state at a place, written as in the tables: `EXECUTION/P work`. A request is open where the state waits for
 * one. Throws where the parts contradict each other.
 */
export function stateAt(text: string, parts: Partial<AgentState> = {}): AgentState {
  const [place = '', waiting = 'none'] = text.split(' ')
  const [name, letter = ''] = place.split('/')
  const fresh = newAgentState()
  const isAsking = ['decision', 'reply', 'work'].includes(waiting)
  return AgentState.parse({
    ...fresh,
    step: name as AgentStep,
    status: letters[letter],
    waiting: waiting as AgentWaiting,
    ...parts,
    turn: { ...fresh.turn, openRequestId: isAsking ? 1 : null, lastRequestId: 1, ...parts.turn },
  })
}

export function placeOf({ step: name, status, waiting }: AgentState): string {
  const letter = Object.keys(letters).find((key) => letters[key] === status)
  return `${name}/${letter} ${waiting}`
}

export type AgentSession = {
  state: AgentState
  /** The effects of the last event. */
  effects: AgentEffect[]
  send(...events: AgentEvent[]): void
  /** The last event's effects of one type. */
  effectsOf<T extends AgentEffect['type']>(type: T): Extract<AgentEffect, { type: T }>[]
  /** The open request, for events that answer it. */
  requestId(): number
}

/** A session to play, event by event. */
export function playSession(state: AgentState = newAgentState()): AgentSession {
  const session: AgentSession = {
    state,
    effects: [],
    send(...events) {
      for (const event of events) {
        const result = step(session.state, event)
        session.state = result.state
        session.effects = result.effects
      }
    },
    effectsOf: (type) =>
      session.effects.filter(
        (effect): effect is Extract<AgentEffect, { type: typeof type }> => effect.type === type,
      ),
    requestId: () => session.state.turn.openRequestId ?? -1,
  }
  return session
}
