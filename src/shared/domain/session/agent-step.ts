import { z } from 'zod'

/** The stage of a session. `DONE` is no step but an outcome: PLANNING with SUCCESS. */
export const AgentStep = z.enum(['PLANNING', 'EXECUTION', 'REVIEW', 'AWAITING_APPROVAL'])
export type AgentStep = z.infer<typeof AgentStep>

/** The state of the current step. The host sets it from results, never the model. */
export const AgentStatus = z.enum(['IN_PROGRESS', 'SUCCESS', 'ERROR', 'REQUIRES_USER_INPUT'])
export type AgentStatus = z.infer<typeof AgentStatus>

/**
 * The answer that the session waits for. `decision`: the model's decision as JSON; `reply`: prose; `work`: a
 * specialised answer or its tools; `gate`: a gate, or its opening; `answer`: the user's answer to the model's question.
 */
export const AgentWaiting = z.enum(['none', 'decision', 'reply', 'work', 'gate', 'answer'])
export type AgentWaiting = z.infer<typeof AgentWaiting>

/** How much the agent may do without asking the user, from nothing to nearly everything. */
export const AgentMode = z.enum(['plan', 'ask', 'auto-edit', 'full'])
export type AgentMode = z.infer<typeof AgentMode>

/** Step and status, as the history records them. */
export const AgentPlace = z.object({ step: AgentStep, status: AgentStatus })
export type AgentPlace = z.infer<typeof AgentPlace>

export const AgentPosition = AgentPlace.extend({ waiting: AgentWaiting })
export type AgentPosition = z.infer<typeof AgentPosition>

const waitingOf: Record<AgentStatus, readonly AgentWaiting[]> = {
  IN_PROGRESS: ['none', 'decision', 'reply', 'work', 'gate'],
  SUCCESS: ['none'],
  ERROR: ['none'],
  REQUIRES_USER_INPUT: ['none', 'gate', 'answer'],
}

/**
 * True for the positions that a session may rest in: AWAITING_APPROVAL only at a gate, SUCCESS only in
 * PLANNING; in progress with nothing awaited only before the first message.
 *
 * Source: `docs/decisions/sessions.md`, Tables.
 */
export function isRestingPosition({ step, status, waiting }: AgentPosition): boolean {
  if (step === 'AWAITING_APPROVAL') return status === 'REQUIRES_USER_INPUT' && waiting === 'gate'
  if (status === 'SUCCESS' && step !== 'PLANNING') return false
  if (status === 'IN_PROGRESS' && waiting === 'none' && step !== 'PLANNING') return false
  if (status === 'REQUIRES_USER_INPUT' && waiting === 'gate' && step === 'EXECUTION') return false
  return waitingOf[status].includes(waiting)
}
