import { type AgentState, counterLimits } from '../../shared/domain/session/agent-state.ts'
import type { AgentEvent } from './agent-events.ts'
import { pump, requestGate, startWork, takeCalls } from './call-queue.ts'
import { isDeferral, isReviewDue } from './direct-calls.ts'
import { type Draft, goTo, move, notice } from './draft.ts'
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
  const { requestId, text, calls, isSteered, isReviewed = false } = answer
  const { state } = draft
  goDirect(draft, requestId)
  if (state.waiting !== 'work' || state.turn.openRequestId !== requestId) return false
  state.turn.openRequestId = null
  Object.assign(state.turn, { isDirect: true, isContinued: true, rationale: text })
  Object.assign(state.turn, { hasProposedPlan: false, review: null })
  state.counters.requests = Math.min(state.counters.requests + 1, counterLimits.requests)
  const isSilent = calls.length === 0 && text === ''
  const isAgain = isSilent && state.turn.isSilent
  state.turn.isSilent = isSilent
  if (isDeferral(text, calls) && isSteered !== true) defer(draft, calls)
  else if (calls.length > 0) takeCalls(draft, calls)
  else if (isSteered === true) pump(draft)
  else if (!isSilent) endWithReply(draft, isReviewed)
  else {
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

/** True while what the user says stands in the next request of the turn under way. */
export function isSteerable(state: AgentState): boolean {
  return state.status === 'IN_PROGRESS' && conditions['direct-at-work'](state)
}

/** The text is the reply, unless a review is due first or what was done waits to be applied. */
function endWithReply(draft: Draft, isReviewed: boolean): void {
  const { state } = draft
  const hasWorked = state.step !== 'PLANNING' && !state.turn.isResumed
  const isDue = hasWorked && isReviewDue(state, isReviewed)
  const cause = state.staged !== null && !isDue ? 'direct.staged' : 'direct.review'
  if (hasWorked) goTo(state, { step: 'REVIEW', status: state.status }, cause)
  if (isDue) {
    state.turn.reviewing = 'due'
    move(draft, 'direct.review')
    startWork(draft)
  } else if (hasWorked && state.staged !== null) {
    move(draft, 'direct.staged')
    requestGate(draft, 'apply', state.staged.callId, state.staged.hash)
  } else move(draft, 'direct.reply')
}
