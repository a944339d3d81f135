import type { AgentMode } from '../../../../shared/domain/session/agent-step.ts'
import type { AppState } from '../../app-state.ts'

/** The mode that holds: of the open session, or of the next one. Null while it is not known. */
export function modeOf({
  conversation: { current, firstMode },
}: Pick<AppState, 'conversation'>): AgentMode | null {
  return current === null ? firstMode : (current.state?.mode ?? null)
}
