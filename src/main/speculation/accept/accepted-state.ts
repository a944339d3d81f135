import type { AgentState } from '../../../shared/domain/session/agent-state.ts'
import { type StepResult, step } from '../../agent/agent-machine.ts'

/**
 * Returns the state of a fork after its acceptance. `unchanged`: it has no changes to apply.
 *
 * Shape: the effects are results of calls that will not be made any more, and the end of the turn.
 */
export function acceptedState(state: AgentState, verdict: 'applied' | 'refused' | 'unchanged'): StepResult {
  if (verdict === 'unchanged' && state.turn.gateRequest !== 'apply')
    return { state: { ...state, staged: null }, effects: [] }
  return step(state, { type: verdict === 'refused' ? 'staged.refused' : 'staged.applied' })
}
