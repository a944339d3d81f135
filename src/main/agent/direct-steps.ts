import { type AgentState, counterLimits } from '../../shared/domain/session/agent-state.ts'
import type { AgentEvent } from './agent-events.ts'
import { beginChecks, endWithReply, pump } from './call-queue.ts'
import { isDeferral, isReviewedReply } from './direct-calls.ts'
import { takeCalls } from './proposed-calls.ts'
import { move, notice, type StateUpdate } from './state-update.ts'
import { conditions } from './tables/conditions.ts'

type Answered = Extract<AgentEvent, { type: 'model.answered' }>

/** Turns the open request for a decision into one on the direct path; it no longer counts as a decision. */
export function goDirect(update: StateUpdate, requestId: number): boolean {
  const { state } = update
  if (state.waiting !== 'decision' || state.turn.openRequestId !== requestId) return false
  state.counters.decisions = Math.max(0, state.counters.decisions - 1)
  state.turn.isDirect = true
  move(update, 'decision.work')
  return true
}

/**
 * Handles an answer on the direct path: its calls are its decision. Text alone is the reply.
 *
 * Source: `docs/decisions/direct-path.md`.
 */
export function takeAnswer(update: StateUpdate, answer: Answered): boolean {
  const { requestId, text, calls, isSteered, isReviewed = false, checks = [] } = answer
  const { state } = update
  goDirect(update, requestId)
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
  if (isDeferral(text, calls) && isSteered !== true) defer(update, calls)
  else if (isReviewedReply(state, text, calls) && isSteered !== true) takeCalls(update, calls, endReviewed)
  else if (calls.length > 0) takeCalls(update, calls)
  else if (!isSilent && beginChecks(update, checks)) {
    if (isSteered === true) state.turn.checking = 'steered'
  } else if (isSteered === true) pump(update)
  else if (!isSilent) endWithReply(update)
  else {
    notice(update, { kind: 'no-answer' })
    if (isAgain) move(update, 'direct.silent')
    else pump(update)
  }
  return true
}

/** Puts the questions aside and ends the turn; the plan goes on with the user's next message. */
function defer(update: StateUpdate, calls: Answered['calls']): void {
  takeCalls(update, calls, (after) => move(after, 'direct.defer'))
}

/** Marks the review that was due as passed and takes its answer's text as the reply. */
function endReviewed(update: StateUpdate): void {
  Object.assign(update.state.turn, { review: null, reviewing: 'passed' })
  endWithReply(update)
}

/** True while the next request of the same turn can include a user's message: it is in progress or waits at a gate. */
export function isSteerable(state: AgentState): boolean {
  if (conditions['direct-at-gate'](state)) return true
  return state.status === 'IN_PROGRESS' && conditions['direct-at-work'](state)
}
