import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { stateAfter } from './accept/accepted-state.ts'

/**
 * The state that a session has once all of a completed fork is accepted: what another run on top of it begins with.
 *
 * Shape: `hasChanges` where the fork has changed files.
 */
export function restAfter(state: AgentState, callId: string, hasChanges: boolean): AgentState {
  if (!hasChanges && state.turn.gateRequest !== 'apply') return { ...state, staged: null }
  const staged = { callId, hash: contentHash(callId) }
  return stateAfter(state, staged, { kind: 'granted', record: { ...staged, by: 'mode', name: null } })
}
