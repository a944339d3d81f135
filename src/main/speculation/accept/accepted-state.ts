import type { GateAnswer, GateItem, StandingConsent } from '../../../shared/domain/session/agent-consent.ts'
import type { AgentState } from '../../../shared/domain/session/agent-state.ts'
import type { AgentEvent } from '../../agent/agent-events.ts'
import { step } from '../../agent/agent-machine.ts'

/** What was said to the changes of a fork: by a rule or the mode, or by the user to a gate. */
export type Word =
  | { kind: 'granted'; record: StandingConsent }
  | { kind: 'approved'; gateId: string; answers: GateAnswer[] }
  | { kind: 'refused'; gateId: string; reason: string | null }

/**
 * The state of a fork whose changes were asked about and, where that was the word, applied: each step of it is the
 * machine's. What the steps would have done next is begun by the session that takes the state in.
 */
export function stateAfter(state: AgentState, staged: GateItem, word: Word): AgentState {
  return eventsOf(staged, word).reduce((now, event) => step(now, event).state, state)
}

/** True where something in it waits for a model or a judgement, and nothing moves it by itself. */
export function isUnderWay({ status, waiting }: AgentState): boolean {
  return (status === 'IN_PROGRESS' && waiting !== 'none') || status === 'ERROR'
}

function eventsOf(staged: GateItem, word: Word): AgentEvent[] {
  const asked: AgentEvent = { type: 'staged.accepted', staged }
  if (word.kind === 'granted')
    return [asked, { type: 'consent.granted', records: [word.record] }, { type: 'apply.finished' }]
  const gate = { gateId: word.gateId, kind: 'apply' as const, items: [staged] }
  const opened: AgentEvent = { type: 'gate.opened', gate }
  if (word.kind === 'refused')
    return [asked, opened, { type: 'gate.rejected', gateId: word.gateId, reason: word.reason }]
  const approved: AgentEvent = { type: 'gate.approved', gateId: word.gateId, answers: word.answers }
  return [asked, opened, approved, { type: 'apply.finished' }]
}
