import { courseLimits } from '../../shared/domain/session/agent-course.ts'
import type { AgentFailure } from '../../shared/domain/session/agent-notice.ts'
import type { AgentPlan, TodoList } from '../../shared/domain/session/agent-plan.ts'
import { type AgentState, counterLimits, type OpenCall } from '../../shared/domain/session/agent-state.ts'
import type { ReplyKind } from './agent-effects.ts'
import type { AgentEvent, ProposedCall } from './agent-events.ts'
import { countChanged, derivedPlan, isChange, isReviewDue } from './direct-calls.ts'
import {
  abortRequest,
  type Draft,
  dropTodosBehind,
  dropWaitingCalls,
  endAll,
  endTurn,
  goTo,
  isRunning,
  move,
  notice,
  result,
  setPlan,
} from './draft.ts'
import type { Cause } from './tables/table-row.ts'
import { withLine } from './with-line.ts'

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

type FailureCause = Extract<Cause, 'error' | 'review.reject'>

/** Brings the session to ERROR, where the tables let it. False where they don't. */
export function fail(draft: Draft, failure: AgentFailure, cause: FailureCause = 'error'): boolean {
  if (!move(draft, cause)) return false
  endAll(draft, 'not-run')
  const isAutomatic = retriedByItself[failure]
  draft.effects.push({ type: 'recovery.due', failure, isAutomatic })
  // A retry goes on with the turn.
  if (!isAutomatic) endTurn(draft, 'failed', cause)
  return true
}

/** Starts the specialised work of the step that holds now. */
export function startWork(draft: Draft): void {
  Object.assign(draft.state.turn, { hasProposedPlan: false, review: null })
  pump(draft)
}

/** Most reading calls of one answer that run at once. Source: `docs/decisions/direct-path.md`, One loop. */
const mostReads = 8

/**
 * Starts the next action: the first call of the answer if it may run; when none is left, the conclusion of the
 * answer or the next request. Calls run one after the other, in the answer's order; on the direct path, reads and
 * read-only commands that follow each other run at once.
 */
export function pump(draft: Draft): void {
  const { state } = draft
  const first = state.calls[0]
  if (state.turn.isDirect && isFreeRead(first)) beginReads(draft)
  else if (first !== undefined) begin(draft, first)
  else if (state.turn.openRequestId === null && state.status === 'IN_PROGRESS') {
    if (state.waiting === 'decision') requestDecision(draft)
    if (state.waiting === 'work') concludeAnswer(draft)
  }
}

/** True for a read or a read-only command that has consent, whether or not it runs already. */
function isFreeRead(call: OpenCall | undefined): boolean {
  if (call?.kind !== 'world' || call.stage === 'asked') return false
  return call.access === 'read' || call.isReadOnly === true
}

function beginReads(draft: Draft): void {
  const { calls } = draft.state
  const end = calls.findIndex((call) => !isFreeRead(call))
  for (const call of calls.slice(0, Math.min(end < 0 ? calls.length : end, mostReads))) begin(draft, call)
}

/** Begins a call that is ready. Only this function adds `call.run`, and only with the call's own decision record. */
function begin(draft: Draft, call: OpenCall): void {
  const { state, effects } = draft
  if (call.stage !== 'ready') return
  if (call.kind === 'world') {
    if (call.record === null) return
    call.stage = 'running'
    effects.push({ type: 'call.run', callId: call.callId, access: call.access, record: call.record })
  } else if (call.kind === 'todo') {
    state.calls = state.calls.filter((open) => open !== call)
    writeTodos(draft, call)
    pump(draft)
  } else if (state.waiting === 'work' && move(draft, 'question.asked')) {
    call.stage = 'running'
    effects.push({ type: 'question.ask', callId: call.callId, question: call.question })
  }
}

export function writeTodos(draft: Draft, { callId, todos }: { callId: string; todos: TodoList }): void {
  const { plan, turn } = draft.state
  if (plan !== null) setPlan(draft, { ...plan, todos })
  else if (turn.isDirect) setPlan(draft, derivedPlan(callId, todos[0]?.text ?? '', todos))
  result(draft, callId, plan === null && !turn.isDirect ? 'wrong-step' : 'accepted')
}

function nextRequestId(state: AgentState): number {
  state.turn.lastRequestId += 1
  state.turn.openRequestId = state.turn.lastRequestId
  return state.turn.lastRequestId
}

function requestDecision(draft: Draft): void {
  const { counters } = draft.state
  counters.decisions = Math.min(counters.decisions + 1, counterLimits.decisions)
  draft.effects.push({ type: 'model.decide', requestId: nextRequestId(draft.state) })
}

export function requestReply(draft: Draft, kind: ReplyKind, about = ''): void {
  draft.state.turn.reply = { kind, about }
  draft.effects.push({ type: 'model.reply', requestId: nextRequestId(draft.state), kind, about })
}

/** Concludes an answer whose calls all have results: a verdict or a plan ends the work, else the model goes on. */
function concludeAnswer(draft: Draft): void {
  const { state } = draft
  const { review, hasProposedPlan, isDirect, checking } = state.turn
  if (checking !== 'none') concludeChecks(draft)
  else if (review !== null) concludeReview(draft, review.verdict)
  else if (hasProposedPlan && !isDirect) concludePlan(draft)
  else if (isDirect && state.counters.requests >= counterLimits.requests) move(draft, 'direct.limit')
  else {
    draft.effects.push({ type: 'model.work', requestId: nextRequestId(state), step: state.step })
  }
}

function concludePlan(draft: Draft): void {
  if (!askPlan(draft)) finishWork(draft)
}

/** Asks for the gate of a plan that needs one; returns false for any other. In mode `plan` every plan needs one. */
export function askPlan(draft: Draft): boolean {
  const { plan } = draft.state
  if (plan === null || !needsGate(draft.state)) return false
  move(draft, 'plan.risky')
  requestGate(draft, 'plan', plan.callId, plan.hash)
  return true
}

/** Asks for consent to the calls that waited until the plan of their answer was approved, or a question answered. */
export function askHeldCalls(draft: Draft): void {
  const held = draft.state.calls.filter(
    ({ kind, stage }) => kind === 'boundary' || (kind === 'world' && stage === 'asked'),
  )
  if (held.length > 0) draft.effects.push({ type: 'consent.ask', callIds: held.map(({ callId }) => callId) })
}

export function needsGate({ plan, mode }: AgentState): boolean {
  return plan !== null && (isRisky(plan) || mode === 'plan')
}

/** True for a plan that deletes, whatever risk the model states, and for one that the model states as high risk. */
function isRisky({ risk, steps }: AgentPlan): boolean {
  return risk === 'high' || steps.some(({ kind }) => kind === 'delete')
}

export function requestGate(draft: Draft, kind: 'plan' | 'apply', callId: string, hash: string): void {
  draft.state.turn.gateRequest = kind
  draft.effects.push({ type: 'gate.request', kind, callId, hash })
}

function concludeReview(draft: Draft, verdict: 'approve' | 'revise' | 'reject'): void {
  const { state } = draft
  // Other calls of the same answer may have changed the step.
  if (state.turn.isDirect) goTo(state, { step: 'REVIEW', status: state.status }, 'direct.review')
  if (state.turn.isDirect && verdict !== 'approve') state.turn.reviewing = 'none'
  if (verdict === 'reject') {
    fail(draft, 'review-rejected', 'review.reject')
    return
  }
  state.turn.review = null
  if (state.turn.isDirect && verdict === 'approve') {
    // The model's closing text is the reply.
    state.turn.reviewing = 'passed'
    pump(draft)
    return
  }
  move(draft, verdict === 'approve' ? 'review.approve' : 'review.revise')
  if (state.waiting === 'work') startWork(draft)
  else if (state.waiting === 'gate' && state.staged !== null)
    requestGate(draft, 'apply', state.staged.callId, state.staged.hash)
}

/**
 * Runs the folder's checks before a text counts as the reply. False where none are due, or no more may be made.
 *
 * Source: `docs/decisions/direct-path.md`, Checks after changes.
 */
export function beginChecks(draft: Draft, checks: readonly ProposedCall[]): boolean {
  const { state } = draft
  const { counters } = state
  const calls = checks.flatMap((check) => (check.kind === 'world' ? check : []))
  const isWithin =
    counters.checkRuns < counterLimits.checkRuns && counters.calls + calls.length <= counterLimits.calls
  if (calls.length === 0 || !isWithin || !hasWorked(state)) {
    for (const { callId } of calls) result(draft, callId, 'not-run')
    return false
  }
  counters.checkRuns += 1
  counters.calls += calls.length
  goTo(state, { step: 'REVIEW', status: state.status }, 'checks')
  state.turn.checking = 'running'
  for (const { callId, access, hash } of calls)
    state.calls.push({ kind: 'world', callId, access, hash, stage: 'asked', record: null })
  draft.effects.push({ type: 'consent.ask', callIds: calls.map(({ callId }) => callId) })
  return true
}

/** True where this turn has changed something, also where a failed request has led it back to PLANNING since. */
function hasWorked({ step, turn }: AgentState): boolean {
  return turn.hasChanged || (step !== 'PLANNING' && !turn.isResumed)
}

/** Concludes checks that all have results: the model works on new problems, else its text is the reply. */
function concludeChecks(draft: Draft): void {
  const { state } = draft
  const isSpent = state.counters.checkRuns >= counterLimits.checkRuns
  const { checking } = state.turn
  state.turn.checking = 'none'
  if (checking === 'problems' && isSpent) notice(draft, { kind: 'limit', limit: 'check-runs' })
  if (checking === 'steered' || (checking === 'problems' && !isSpent)) startWork(draft)
  else endWithReply(draft)
}

/** Ends the turn with the text as the reply, unless a review is due first or staged changes wait to be applied. */
export function endWithReply(draft: Draft): void {
  const { state } = draft
  const isWorked = hasWorked(state)
  const isDue = isWorked && isReviewDue(state, state.turn.isReviewWanted)
  const cause = state.staged !== null && !isDue ? 'direct.staged' : 'direct.review'
  if (isWorked) goTo(state, { step: 'REVIEW', status: state.status }, cause)
  if (isDue) {
    state.turn.reviewing = 'due'
    move(draft, 'direct.review')
    startWork(draft)
  } else if (isWorked && state.staged !== null) {
    move(draft, 'direct.staged')
    requestGate(draft, 'apply', state.staged.callId, state.staged.hash)
  } else {
    if (state.turn.isChangeRefused && state.mode === 'plan') notice(draft, { kind: 'leave-plan-mode' })
    move(draft, 'direct.reply')
  }
}

/** Ends the specialised work of the step. */
export function finishWork(draft: Draft): void {
  const { state } = draft
  move(draft, 'work.finished')
  if (state.waiting === 'decision') pump(draft)
  else if (state.waiting === 'work') startWork(draft)
}

/** Records the end of a call, whatever the session does meanwhile. Returns false for a call that was not running. */
export function finishCall(
  draft: Draft,
  { callId, isOk, changed = [], hasProblems = false }: Extract<AgentEvent, { type: 'call.finished' }>,
): boolean {
  const { state } = draft
  countChanged(state, changed)
  const call = state.calls.find((open) => open.callId === callId)
  if (call?.kind !== 'world' || !isRunning(call)) return false
  if (!isOk) dropTodosBehind(draft, [callId])
  if (hasProblems && state.turn.checking === 'running') state.turn.checking = 'problems'
  state.calls = state.calls.filter((open) => open !== call)
  if (isOk) {
    state.memory.operationsSucceeded += 1
    if (call.access === 'write') state.memory.filesWritten += 1
    if (state.turn.isDirect && isChange(call)) state.turn.hasChanged = true
  }
  move(draft, 'call.finished')
  pump(draft)
  return true
}

/** Begins a turn for a user's message and resets all counters. */
export function beginTurn(draft: Draft, message: string): void {
  const { state } = draft
  abortRequest(draft)
  state.turn.gateRequest = null
  dropWaitingCalls(draft, 'superseded')
  const [line = ''] = withLine([], message, courseLimits.openQuestions)
  Object.assign(state.turn, {
    message: line,
    isResumed: state.step === 'EXECUTION' || state.step === 'REVIEW',
    rationale: '',
    isContinued: false,
    isEnding: false,
    review: null,
    isDirect: false,
    isSilent: false,
    reviewing: 'none',
    checking: 'none',
    isReviewWanted: false,
    hasChanged: false,
    isChangeRefused: false,
    changedFiles: [],
  })
  if (state.plan?.isDerived === true) setPlan(draft, null)
  state.turn.hasProposedPlan = false
  for (const name of Object.keys(state.counters)) state.counters[name as keyof typeof state.counters] = 0
}
