import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import { step } from './agent-machine.ts'

/** Returns the state with nothing in progress, for a conversation in which the open requests and calls will never end. */
export function atRest(state: AgentState): AgentState {
  const { state: stopped } = step(state, { type: 'user.stop' })
  const turn = { ...stopped.turn, openRequestId: null, gateRequest: null }
  return { ...stopped, turn, calls: [], gates: [] }
}
