import { courseLimits } from '../../shared/domain/session/agent-course.ts'
import type { AgentFailure } from '../../shared/domain/session/agent-notice.ts'
import type { AgentPlan, TodoList } from '../../shared/domain/session/agent-plan.ts'
import {
  type AgentState,
  counterLimits,
  idleTurn,
  type OpenCall,
} from '../../shared/domain/session/agent-state.ts'
import type { EventOf, ProposedCall, ReplyKind } from './agent-events.ts'
import { withLine } from './course.ts'
import { countChanged, derivedPlan, isChange, isReviewDue } from './direct-calls.ts'
import {
  abortRequest,
  dropTodosBehind,
  dropWaitingCalls,
  endAll,
  goTo,
  isRunning,
  move,
  notice,
  result,
  type StateUpdate,
  setPlan,
} from './state-update.ts'

const retriedByItself: Record<AgentFailure, boolean> = {
  'model-failed': true,
  'decision-unreadable': true,
  'invalid-calls': true,
  'call-cap': true,
  loop: true,
  'review-rejected': true,
  'disk-full': false,
  'workspace-gone': false,
}

/** Brings the session to ERROR. Where the tables do not let it, the failure is only shown. */
export function fail(update: StateUpdate, failure: AgentFailure, cause?: 'review.reject'): void {
  const isAutomatic = retriedByItself[failure]
  if (move(update, cause ?? (isAutomatic ? 'error' : 'error.final'))) {
    endAll(update, 'not-run')
    update.effects.push({ type: 'recovery.due', failure, isAutomatic })
  } else update.effects.push({ type: 'failure.show', failure })
}

export function startWork(update: StateUpdate): void {
  Object.assign(update.state.turn, { hasProposedPlan: false, review: null })
  pump(update)
}

/** Most reading calls of one answer that run at once. Source: `docs/decisions/direct-path.md`, One loop. */
const mostReads = 8

/**
 * Starts the next action: the first call of the answer if it may run; when none is left, the conclusion of the
 * answer or the next request. Calls run one after the other, in the answer's order; on the direct path, reads and
 * read-only commands that follow each other run at once.
 */
export function pump(update: StateUpdate): void {
  const { state } = update
  const first = state.calls[0]
  if (state.turn.isDirect && isFreeRead(first)) beginReads(update)
  else if (first !== undefined) begin(update, first)
  else if (state.turn.openRequestId === null && state.status === 'IN_PROGRESS') {
    if (state.waiting === 'decision') requestDecision(update)
    if (state.waiting === 'work') concludeAnswer(update)
  }
}

/** True for a read or a read-only command that has consent, whether or not it runs already. */
function isFreeRead(call: OpenCall | undefined): boolean {
  if (call?.kind !== 'world' || call.stage === 'asked') return false
  return call.access === 'read' || call.isReadOnly === true
}

function beginReads(update: StateUpdate): void {
  const { calls } = update.state
  const end = calls.findIndex((call) => !isFreeRead(call))
  for (const call of calls.slice(0, Math.min(end < 0 ? calls.length : end, mostReads))) begin(update, call)
}

/** Begins a call that is ready. Only this function adds `call.run`, and only with the call's own decision record. */
function begin(update: StateUpdate, call: OpenCall): void {
  const { state, effects } = update
  if (call.stage !== 'ready') return
  if (call.kind === 'world') {
    if (call.record === null) return
    call.stage = 'running'
    effects.push({ type: 'call.run', callId: call.callId, access: call.access, record: call.record })
  } else if (call.kind === 'todo') {
    state.calls = state.calls.filter((open) => open !== call)
    writeTodos(update, call)
    pump(update)
  } else if (state.waiting === 'work' && move(update, 'question.asked')) {
    call.stage = 'running'
    effects.push({ type: 'question.ask', callId: call.callId, question: call.question })
  }
}

export function writeTodos(
  update: StateUpdate,
  { callId, todos }: { callId: string; todos: TodoList },
): void {
  const { plan, turn } = update.state
  if (plan !== null) setPlan(update, { ...plan, todos })
  else if (turn.isDirect) setPlan(update, derivedPlan(callId, todos[0]?.text ?? '', todos))
  result(update, callId, plan === null && !turn.isDirect ? 'wrong-step' : 'accepted')
}

function nextRequestId(state: AgentState): number {
  state.turn.lastRequestId += 1
  state.turn.openRequestId = state.turn.lastRequestId
  return state.turn.lastRequestId
}

function requestDecision(update: StateUpdate): void {
  const { counters } = update.state
  counters.decisions = Math.min(counters.decisions + 1, counterLimits.decisions)
  update.effects.push({ type: 'model.decide', requestId: nextRequestId(update.state) })
}

export function requestReply(update: StateUpdate, kind: ReplyKind, about = ''): void {
  update.state.turn.reply = { kind, about }
  update.effects.push({ type: 'model.reply', requestId: nextRequestId(update.state), kind, about })
}

/** Concludes an answer whose calls all have results: a verdict or a plan ends the work, else the model goes on. */
function concludeAnswer(update: StateUpdate): void {
  const { state } = update
  const { review, hasProposedPlan, isDirect, checking } = state.turn
  if (checking !== 'none') concludeChecks(update)
  else if (review !== null) concludeReview(update, review.verdict)
  else if (hasProposedPlan && !isDirect) {
    if (!askPlan(update)) finishWork(update)
  } else if (isDirect && state.counters.requests >= counterLimits.requests) move(update, 'direct.limit')
  else {
    update.effects.push({ type: 'model.work', requestId: nextRequestId(state), step: state.step })
  }
}

/** Asks for the gate of a plan that needs one; returns false for any other. In mode `plan` every plan needs one. */
export function askPlan(update: StateUpdate): boolean {
  const { plan } = update.state
  if (plan === null || !needsGate(update.state)) return false
  move(update, 'plan.risky')
  requestPlanGate(update)
  return true
}

/** Asks for consent to the calls that waited until the plan of their answer was approved, or a question answered. */
export function askHeldCalls(update: StateUpdate): void {
  const held = update.state.calls.filter(
    ({ kind, stage }) => kind === 'boundary' || (kind === 'world' && stage === 'asked'),
  )
  if (held.length > 0) update.effects.push({ type: 'consent.ask', callIds: held.map(({ callId }) => callId) })
}

export function needsGate({ plan, mode }: AgentState): boolean {
  return plan !== null && (isRisky(plan) || mode === 'plan')
}

/** True for a plan that deletes, whatever risk the model states, and for one that the model states as high risk. */
function isRisky({ risk, steps }: AgentPlan): boolean {
  return risk === 'high' || steps.some(({ kind }) => kind === 'delete')
}

export function requestPlanGate(update: StateUpdate): void {
  const { plan, turn } = update.state
  if (plan === null) return
  turn.gateRequest = 'plan'
  update.effects.push({ type: 'gate.request', callId: plan.callId, hash: plan.hash })
}

function concludeReview(update: StateUpdate, verdict: 'approve' | 'revise' | 'reject'): void {
  const { state } = update
  // Other calls of the same answer may have changed the step.
  if (state.turn.isDirect) goTo(state, { step: 'REVIEW', status: state.status }, 'direct.review')
  if (state.turn.isDirect && verdict !== 'approve') state.turn.reviewing = 'none'
  if (verdict === 'reject') {
    fail(update, 'review-rejected', 'review.reject')
    return
  }
  state.turn.review = null
  if (state.turn.isDirect && verdict === 'approve') {
    // The model's closing text is the reply.
    state.turn.reviewing = 'passed'
    pump(update)
    return
  }
  move(update, verdict === 'approve' ? 'review.approve' : 'review.revise')
  if (state.waiting === 'work') startWork(update)
  else if (state.waiting === 'gate') state.turn.gateRequest = 'apply'
}

/**
 * Runs the folder's checks before a text counts as the reply. False where none are due, or no more may be made.
 *
 * Source: `docs/decisions/direct-path.md`, Checks after changes.
 */
export function beginChecks(update: StateUpdate, checks: readonly ProposedCall[]): boolean {
  const { state } = update
  const { counters } = state
  const calls = checks.flatMap((check) => (check.kind === 'world' ? check : []))
  const isWithin =
    counters.checkRuns < counterLimits.checkRuns && counters.calls + calls.length <= counterLimits.calls
  if (calls.length === 0 || !isWithin || !hasWorked(state)) {
    for (const { callId } of calls) result(update, callId, 'not-run')
    return false
  }
  counters.checkRuns += 1
  counters.calls += calls.length
  goTo(state, { step: 'REVIEW', status: state.status }, 'checks')
  state.turn.checking = 'running'
  for (const { callId, access, hash } of calls)
    state.calls.push({ kind: 'world', callId, access, hash, stage: 'asked', record: null })
  update.effects.push({ type: 'consent.ask', callIds: calls.map(({ callId }) => callId) })
  return true
}

/** True where this turn has changed something, also where a failed request has led it back to PLANNING since. */
function hasWorked({ step, turn }: AgentState): boolean {
  return turn.hasChanged || (step !== 'PLANNING' && !turn.isResumed)
}

/** Concludes checks that all have results: the model works on new problems, else its text is the reply. */
function concludeChecks(update: StateUpdate): void {
  const { state } = update
  const isSpent = state.counters.checkRuns >= counterLimits.checkRuns
  const { checking } = state.turn
  state.turn.checking = 'none'
  if (checking === 'problems' && isSpent) notice(update, { kind: 'limit', limit: 'check-runs' })
  if (checking === 'steered' || (checking === 'problems' && !isSpent)) startWork(update)
  else endWithReply(update)
}

/** Ends the turn with the text as the reply, unless a review is due first or staged changes wait to be applied. */
export function endWithReply(update: StateUpdate): void {
  const { state } = update
  const isWorked = hasWorked(state)
  const isDue = isWorked && isReviewDue(state, state.turn.isReviewWanted)
  const cause = state.staged !== null && !isDue ? 'direct.staged' : 'direct.review'
  if (isWorked) goTo(state, { step: 'REVIEW', status: state.status }, cause)
  if (isDue) {
    state.turn.reviewing = 'due'
    move(update, 'direct.review')
    startWork(update)
  } else if (isWorked && state.staged !== null) {
    move(update, 'direct.staged')
    state.turn.gateRequest = 'apply'
  } else {
    if (state.turn.isChangeRefused && state.mode === 'plan') notice(update, { kind: 'leave-plan-mode' })
    move(update, 'direct.reply')
  }
}

export function finishWork(update: StateUpdate): void {
  const { state } = update
  move(update, 'work.finished')
  if (state.waiting === 'decision') pump(update)
  else if (state.waiting === 'work') startWork(update)
}

/** Records the end of a call, whatever the session does meanwhile. Returns false for a call that was not running. */
export function finishCall(
  update: StateUpdate,
  { callId, isOk, changed = [], hasProblems = false }: EventOf<'call.finished'>,
): boolean {
  const { state } = update
  countChanged(state, changed)
  const call = state.calls.find((open) => open.callId === callId)
  if (call?.kind !== 'world' || !isRunning(call)) return false
  if (!isOk) dropTodosBehind(update, [callId])
  if (hasProblems && state.turn.checking === 'running') state.turn.checking = 'problems'
  state.calls = state.calls.filter((open) => open !== call)
  if (isOk) {
    state.memory.operationsSucceeded += 1
    if (call.access === 'write') state.memory.filesWritten += 1
    if (state.turn.isDirect && isChange(call)) state.turn.hasChanged = true
  }
  move(update, 'call.finished')
  pump(update)
  return true
}

/** Turns a running call that a speculation could not make into a boundary. */
export function leaveCall({ state }: StateUpdate, { callId }: EventOf<'call.left'>): boolean {
  const at = state.calls.findIndex((call) => call.callId === callId && isRunning(call))
  if (at < 0) return false
  state.calls = state.calls.with(at, { kind: 'boundary', callId, stage: 'waiting' })
  return true
}

/** Begins a turn for a user's message and resets all counters. */
export function beginTurn(update: StateUpdate, message: string): void {
  const { state } = update
  abortRequest(update)
  dropWaitingCalls(update, 'superseded')
  const [line = ''] = withLine([], message, courseLimits.openQuestions)
  const { lastRequestId, openRequestId, reply } = state.turn
  const isResumed = state.step === 'EXECUTION' || state.step === 'REVIEW'
  Object.assign(state.turn, idleTurn, { message: line, isResumed, lastRequestId, openRequestId, reply })
  if (state.plan?.isDerived === true) setPlan(update, null)
  for (const name of Object.keys(state.counters)) state.counters[name as keyof typeof state.counters] = 0
}
