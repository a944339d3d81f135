import { courseLimits } from '../../shared/domain/session/agent-course.ts'
import type { AgentDecision } from '../../shared/domain/session/agent-decision.ts'
import { type AgentState, counterLimits } from '../../shared/domain/session/agent-state.ts'
import type { AgentStep } from '../../shared/domain/session/agent-step.ts'
import type { EventOf, ProposedCall } from './agent-events.ts'
import {
  beginChecks,
  endWithReply,
  finishWork,
  pump,
  requestPlanGate,
  requestReply,
  startWork,
} from './call-queue.ts'
import { applyStateDelta, withLine } from './course.ts'
import { isDeferral, isReviewedReply } from './direct-calls.ts'
import { takeCalls } from './proposed-calls.ts'
import { goTo, move, notice, type StateUpdate, takeCourse } from './state-update.ts'
import { type Dispatch, dispatchTable, modelTable } from './tables/agent-tables.ts'
import { conditions } from './tables/table-row.ts'

/** Closes the open request and returns true where this is its answer. */
function closeRequest({ state }: StateUpdate, waiting: AgentState['waiting'], requestId: number): boolean {
  if (state.waiting !== waiting || state.turn.openRequestId !== requestId) return false
  state.turn.openRequestId = null
  return true
}

/** Applies the model's decision: the delta, then the checks, then table T1, then T3. */
export function takeDecision(
  update: StateUpdate,
  { requestId, decision }: EventOf<'model.decided'>,
): boolean {
  if (!closeRequest(update, 'decision', requestId)) return false
  const { state } = update
  // Only the first decision on a message can begin another task, and only where it wants to plan it.
  const isNewTask = state.counters.decisions <= 1 && (state.plan === null || decision.step === 'PLANNING')
  takeCourse(update, applyStateDelta(state, decision.state_delta, isNewTask))
  state.turn.rationale = decision.rationale
  const failed = failedCheck(state, decision)
  if (failed !== null) {
    notice(update, { kind: 'check-failed', ...failed })
    move(update, 'decision.check-failed')
    requestReply(update, 'question', failed.reason)
    return true
  }
  const dispatch = dispatchTable[decision.next_step][decision.prompt_pattern]
  state.turn.isContinued = dispatch === 'work'
  if (wantsStep(dispatch, decision.step) && askStep(update, decision) === 'settled') return true
  carryOut(update, dispatch, decision)
  return true
}

/** Returns the check that a decision fails, if any. Without a goal, the goal check cannot fail. */
function failedCheck(
  state: AgentState,
  { goal_consistency, constraint_check }: AgentDecision,
): { check: 'goal' | 'constraint'; reason: string } | null {
  if (goal_consistency.answer === 'no' && state.course.goal !== '')
    return { check: 'goal', reason: goal_consistency.reason }
  if (constraint_check.answer === 'no') return { check: 'constraint', reason: constraint_check.reason }
  return null
}

/** Returns whether T1 applies. A deferred request keeps the step; `done` has its own column, and may ask for a gate. */
function wantsStep(dispatch: Dispatch, step: AgentStep): boolean {
  if (dispatch === 'defer') return false
  return dispatch !== 'ending' || step === 'AWAITING_APPROVAL'
}

/** Applies T1. `settled` where the decision goes no further: a gate is asked for, or it was the second refusal. */
function askStep(update: StateUpdate, { step: to, rationale }: AgentDecision): 'go-on' | 'settled' {
  const { state } = update
  const { step: from } = state
  const cell = modelTable[from][to]
  if (cell.answer === 'stay') return 'go-on'
  const why = refusalOf(state, from, to)
  if (why !== null) {
    state.counters.refusals = Math.min(state.counters.refusals + 1, counterLimits.refusals)
    notice(update, { kind: 'step-refused', from, to, why })
    if (why === 'plan-mode') notice(update, { kind: 'leave-plan-mode' })
    if (state.counters.refusals < counterLimits.refusals) return 'go-on'
    move(update, 'decision.refused-twice')
    return 'settled'
  }
  state.counters.requested += 1
  state.decisionLog = withLine(state.decisionLog, rationale, courseLimits.decisionLog)
  if (cell.answer === 'go') {
    goTo(state, { step: to, status: state.status }, `model/${from}-${to}`)
    return 'go-on'
  }
  move(update, 'decision.gate')
  if (from === 'PLANNING') requestPlanGate(update)
  else state.turn.gateRequest = 'apply'
  return 'settled'
}

function refusalOf(state: AgentState, from: AgentStep, to: AgentStep) {
  const cell = modelTable[from][to]
  if (cell.answer === 'refused') return 'table'
  if (state.counters.requested >= counterLimits.requested) return 'spent'
  if (cell.when === undefined || conditions[cell.when](state)) return null
  if (cell.when === 'resumed') return 'table'
  return state.mode === 'plan' && to === 'EXECUTION' ? 'plan-mode' : 'condition'
}

/** Applies T3: starts the work or the reply that the decision leads to. */
function carryOut(update: StateUpdate, dispatch: Dispatch, decision: AgentDecision): void {
  const { state } = update
  move(update, dispatch === 'work' ? 'decision.work' : 'decision.reply')
  switch (dispatch) {
    case 'work':
      startWork(update)
      return
    case 'question':
      requestReply(update, 'question', state.course.openQuestions[0] ?? decision.rationale)
      return
    case 'defer':
      if (!state.pinned.includes('openQuestions')) {
        const { openQuestions } = state.course
        const more = withLine(openQuestions, state.turn.message, courseLimits.openQuestions)
        state.course = { ...state.course, openQuestions: more }
      }
      requestReply(update, 'defer', state.turn.message)
      return
    case 'ending':
    case 'reply':
      state.turn.isEnding = dispatch === 'ending'
      requestReply(update, 'plain')
  }
}

export function takeReply(update: StateUpdate, { requestId }: EventOf<'reply.finished'>): boolean {
  if (!closeRequest(update, 'reply', requestId)) return false
  move(update, update.state.turn.isEnding ? 'reply.done' : 'reply.finished')
  update.state.turn.isEnding = false
  return true
}

/** Handles a specialised answer; one without calls ends the work. */
export function takeWork(update: StateUpdate, requestId: number, calls: readonly ProposedCall[]): boolean {
  if (!closeRequest(update, 'work', requestId)) return false
  if (calls.length === 0) finishWork(update)
  else takeCalls(update, calls)
  return true
}

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
export function takeAnswer(update: StateUpdate, answer: EventOf<'model.answered'>): boolean {
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
    hasProposedPlan: false,
    review: null,
  })
  state.counters.requests = Math.min(state.counters.requests + 1, counterLimits.requests)
  const isSilent = calls.length === 0 && text === ''
  const isAgain = isSilent && state.turn.isSilent
  state.turn.isSilent = isSilent
  // A deferral ends the turn; the plan goes on with the user's next message.
  if (isDeferral(text, calls) && isSteered !== true)
    takeCalls(update, calls, (after) => move(after, 'direct.defer'))
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

/** Marks the review that was due as passed and takes its answer's text as the reply. */
function endReviewed(update: StateUpdate): void {
  Object.assign(update.state.turn, { review: null, reviewing: 'passed' })
  endWithReply(update)
}
