import type { AgentState } from '../../../shared/domain/session/agent-state.ts'
import { type StepResult, step } from '../../agent/agent-machine.ts'

/**
 * What the state of a fork becomes once it is accepted. `unchanged`: it has no changes to apply.
 *
 * Shape: the effects are results of calls that nobody makes any more, and the end of the turn.
 */
export function acceptedState(state: AgentState, verdict: 'applied' | 'refused' | 'unchanged'): StepResult {
  if (verdict === 'unchanged' && state.turn.gateRequest !== 'apply')
    return { state: { ...state, staged: null }, effects: [] }
  return step(state, { type: verdict === 'refused' ? 'staged.refused' : 'staged.applied' })
}
