import { type AgentState, counterLimits } from '../../shared/domain/session/agent-state.ts'
import type { AgentEvent } from './agent-events.ts'
import { beginChecks, endWithReply, pump } from './call-queue.ts'
import { isDeferral, isReviewedReply } from './direct-calls.ts'
import { type Draft, move, notice } from './draft.ts'
import { takeCalls } from './proposed-calls.ts'
import { conditions } from './tables/conditions.ts'

type Answered = Extract<AgentEvent, { type: 'model.answered' }>

/** The open request for a decision is answered on the direct path: a derived decision does not count as one. */
export function goDirect(draft: Draft, requestId: number): boolean {
  const { state } = draft
  if (state.waiting !== 'decision' || state.turn.openRequestId !== requestId) return false
  state.counters.decisions = Math.max(0, state.counters.decisions - 1)
  state.turn.isDirect = true
  move(draft, 'decision.work')
  return true
}

/**
 * Takes an answer on the direct path: what the model does is its decision. Text alone is the reply.
 *
 * Source: `docs/decisions/direct-path.md`.
 */
export function takeAnswer(draft: Draft, answer: Answered): boolean {
  const { requestId, text, calls, isSteered, isReviewed = false, checks = [] } = answer
  const { state } = draft
  goDirect(draft, requestId)
  if (state.waiting !== 'work' || state.turn.openRequestId !== requestId) return false
  state.turn.openRequestId = null
  Object.assign(state.turn, {
    isDirect: true,
    isContinued: true,
    rationale: text,
    isReviewWanted: isReviewed,
  })
  Object.assign(state.turn, { hasProposedPlan: false, review: null })
  state.counters.requests = Math.min(state.counters.requests + 1, counterLimits.requests)
  const isSilent = calls.length === 0 && text === ''
  const isAgain = isSilent && state.turn.isSilent
  state.turn.isSilent = isSilent
  if (isDeferral(text, calls) && isSteered !== true) defer(draft, calls)
  else if (isReviewedReply(state, text, calls) && isSteered !== true) takeCalls(draft, calls, endReviewed)
  else if (calls.length > 0) takeCalls(draft, calls)
  else if (isSteered === true) pump(draft)
  else if (!isSilent) {
    if (!beginChecks(draft, checks)) endWithReply(draft)
  } else {
    notice(draft, { kind: 'no-answer' })
    if (isAgain) move(draft, 'direct.silent')
    else pump(draft)
  }
  return true
}

/** The questions are put aside and the turn ends; the plan goes on with the user's next message. */
function defer(draft: Draft, calls: Answered['calls']): void {
  takeCalls(draft, calls, (after) => move(after, 'direct.defer'))
}

/** The review that was due is passed, and its answer's text is the reply. */
function endReviewed(draft: Draft): void {
  Object.assign(draft.state.turn, { review: null, reviewing: 'passed' })
  endWithReply(draft)
}

/** True while what the user says stands in the next request of the turn under way, or of one that waits at a gate. */
export function isSteerable(state: AgentState): boolean {
  if (conditions['direct-at-gate'](state)) return true
  return state.status === 'IN_PROGRESS' && conditions['direct-at-work'](state)
}
