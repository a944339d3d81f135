import type { AgentState } from '../../shared/domain/agent-state.ts'
import { step } from '../agent/agent-machine.ts'

/**
 * The state that a completed fork's session has once all of it is accepted: what another one on top of it begins with.
 */
export function acceptedState(state: AgentState): AgentState {
  const { staged } = state
  if (staged === null) return state
  if (state.turn.gateRequest !== 'apply') return step(state, { type: 'staged.changed', staged: null }).state
  const record = { callId: staged.callId, hash: staged.hash, by: 'mode', name: null } as const
  const applying = step(state, { type: 'consent.granted', records: [record] }).state
  return step(applying, { type: 'apply.finished' }).state
}
