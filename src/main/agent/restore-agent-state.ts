import { AgentState, newAgentState } from '../../shared/domain/session/agent-state.ts'

/** A usable state. `isReset`: the stored one was not valid, and the user is told. */
export type RestoredState = { state: AgentState; isReset: boolean }

/**
 * Reads a session's stored state. One that is not valid, or contradicts itself, is not patched up: the session
 * starts with a new one and keeps its conversation.
 */
export function restoreAgentState(stored: unknown): RestoredState {
  const read = AgentState.safeParse(stored)
  if (read.success) return { state: read.data, isReset: false }
  return { state: newAgentState(), isReset: true }
}
