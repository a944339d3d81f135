import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import { step } from './agent-machine.ts'

/** A state with nothing under way in it: for a conversation in which nothing of that will ever end. */
export function atRest(state: AgentState): AgentState {
  const { state: stopped } = step(state, { type: 'user.stop' })
  const turn = { ...stopped.turn, openRequestId: null, gateRequest: null }
  return { ...stopped, turn, calls: [], gates: [] }
}
