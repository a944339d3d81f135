import { courseLimits, emptyCourse } from '../../shared/domain/session/agent-course.ts'
import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import type { AgentEffect } from './agent-effects.ts'
import type { AgentEvent } from './agent-events.ts'
import { askHeldCalls, beginTurn, fail, finishCall, pump, startWork } from './call-queue.ts'
import { editCourse, settleQuestions } from './course.ts'
import { goDirect, isSteerable, takeAnswer } from './direct-steps.ts'
import {
  type Draft,
  draftOf,
  endAll,
  isRunning,
  leavePlanMode,
  move,
  notice,
  result,
  setPlan,
  takeCorrection,
  takeCourse,
} from './draft.ts'
import { approveGate, denyConsent, grantConsent, openGate, rejectGate, voidGate } from './gate-steps.ts'
import { takeAnswerWithCalls, takeAnswerWithoutCalls, takeDecision, takeReply } from './model-steps.ts'
import { acceptStaged, changeStaged, takeTurn } from './staged-steps.ts'
import { tableProblems } from './tables/check-tables.ts'
import { conditions } from './tables/conditions.ts'
import { withLine } from './with-line.ts'

const problems = tableProblems()
if (problems.length > 0) throw new Error(`agent tables: ${problems.join('; ')}`)

/** Shape: effects in the order in which the runner performs them. */
export type StepResult = { state: AgentState; effects: AgentEffect[] }

/**
 * Returns the state and the effects that follow from an event: the only place where a session's next step is decided.
 *
 * Pure: the given state is not changed. Where the event means nothing in this state, the result is the given state
 * itself, and the only effect is the notice `ignored`. An effect that acts outside of the session carries the decision
 * record that names its call; no table row and no model event makes such a record.
 * Source: `docs/decisions/sessions.md`, Tables and Consent.
 */
export function step(state: AgentState, event: AgentEvent): StepResult {
  const draft = draftOf(state)
  if (perform(draft, event)) {
    if (draft.ended !== null) draft.effects.push({ type: 'turn.ended', how: draft.ended })
    return { state: draft.state, effects: draft.effects }
  }
  return { state, effects: [{ type: 'notice', notice: { kind: 'ignored', event: event.type } }] }
}

/** Applies an event to the draft. Returns false where the event means nothing in this state. */
function perform(draft: Draft, event: AgentEvent): boolean {
  const { state } = draft
  switch (event.type) {
    case 'model.decided':
      return takeDecision(draft, event)
    case 'model.called':
      return takeAnswerWithCalls(draft, event)
    case 'model.direct':
      return goDirect(draft, event.requestId)
    case 'model.answered':
      return takeAnswer(draft, event)
    case 'reply.finished':
      return takeReply(draft, event)
    case 'work.finished':
      return takeAnswerWithoutCalls(draft, event)

    case 'user.message':
    case 'user.steer':
      return takeMessage(draft, event)
    case 'user.answer':
      return takeUserAnswer(draft, event)
    case 'user.stop':
      if (!move(draft, 'user.stop')) return false
      endAll(draft, 'stopped')
      return true
    case 'session.start':
    case 'user.reset':
      return restart(draft, event.type)
    case 'user.mode':
      if (event.mode === 'plan' && state.mode !== 'plan') state.modeBefore = state.mode
      state.mode = event.mode
      return true
    case 'user.carry-out':
      return carryOutPlan(draft)
    case 'user.course':
      takeCourse(draft, editCourse(state, event.edit))
      return true
    case 'user.corrected':
      for (const text of event.texts) takeCorrection(draft, text)
      return true

    case 'consent.granted':
      return grantConsent(draft, event)
    case 'consent.denied':
      return denyConsent(draft, event)
    case 'gate.opened':
      return openGate(draft, event)
    case 'gate.approved':
      return approveGate(draft, event)
    case 'gate.rejected':
      return rejectGate(draft, event)
    case 'gate.void':
      return voidGate(draft, event)

    case 'call.finished':
      return finishCall(draft, event)
    case 'staged.changed':
      return changeStaged(draft, event.staged)
    case 'staged.applied':
    case 'staged.refused':
      return acceptStaged(draft, event.type)
    case 'turn.taken':
      return draft.state.status === 'ERROR' ? recover(draft) : takeTurn(draft, event.calls)
    case 'reference.added':
      state.contextRefs = withLine(state.contextRefs, event.reference, courseLimits.contextRefs)
      return true
    case 'error':
      return fail(draft, event.failure)
    case 'recover':
      return recover(draft)
    case 'crash.resume':
      return resume(draft)
  }
}

function takeMessage(draft: Draft, { type, text }: { type: 'user.message' | 'user.steer'; text: string }) {
  const isInTurn = type === 'user.steer' && isSteerable(draft.state)
  const isBeside = conditions['gate-open'](draft.state) && !isInTurn
  if (!move(draft, type)) return false
  takeCourse(draft, settleQuestions(draft.state, text))
  // The model reads the message in the next request.
  if (isInTurn && draft.state.turn.checking !== 'none') draft.state.turn.checking = 'steered'
  if (isBeside) draft.effects.push({ type: 'message.beside', text })
  else if (!isInTurn) {
    beginTurn(draft, text)
    pump(draft)
  }
  return true
}

/** Leaves mode `plan` and carries out the plan. Returns false where the session is in another mode, or not at rest. */
function carryOutPlan(draft: Draft): boolean {
  const { state } = draft
  if (state.mode !== 'plan' || !move(draft, 'user.carry-out')) return false
  beginTurn(draft, state.turn.message)
  leavePlanMode(draft)
  if (state.waiting === 'work') startWork(draft)
  else pump(draft)
  return true
}

function takeUserAnswer(
  draft: Draft,
  { callId, text }: Extract<AgentEvent, { type: 'user.answer' }>,
): boolean {
  const { state } = draft
  const isAsked = state.calls.some(
    (call) => call.kind === 'question' && call.callId === callId && call.stage === 'running',
  )
  if (!isAsked || !move(draft, 'user.answer')) return false
  state.calls = state.calls.filter((call) => call.callId !== callId)
  result(draft, callId, 'answered', text)
  // No gate opens while a question is open: the calls behind it are asked about now.
  askHeldCalls(draft)
  pump(draft)
  return true
}

/** Sets the session back to its start. The history stays; *Reset course* empties the course as well. */
function restart(draft: Draft, cause: 'session.start' | 'user.reset'): boolean {
  const { state } = draft
  move(draft, cause)
  endAll(draft, 'stopped')
  beginTurn(draft, '')
  if (cause === 'user.reset') {
    Object.assign(state, { course: { ...emptyCourse }, pinned: [], lastDelta: '' })
    setPlan(draft, null)
  }
  return true
}

function recover(draft: Draft): boolean {
  if (!move(draft, 'recover')) return false
  pump(draft)
  return true
}

/** Resumes after a crash. Repeats no call, because a call that ran may have been carried out; shows gates again. */
function resume(draft: Draft): boolean {
  const { state, effects } = draft
  const isAtGate = conditions['gate-open'](state)
  const isInterrupted = move(draft, 'crash.resume') && !isAtGate
  const isKept = keptAfterCrash(state)
  for (const call of state.calls)
    if (!isKept(call)) result(draft, call.callId, isRunning(call) ? 'interrupted' : 'not-run')
  state.calls = state.calls.filter(isKept)
  Object.assign(state.turn, { openRequestId: null, gateRequest: null })
  for (const gate of state.gates) effects.push({ type: 'gate.show', gate })
  for (const call of state.calls) {
    if (call.kind === 'question' && call.stage === 'running')
      effects.push({ type: 'question.ask', callId: call.callId, question: call.question })
  }
  if (isInterrupted) notice(draft, { kind: 'continue-after-crash' })
  return true
}

/** Returns a test for the calls that stay open after a crash: those in a gate, else an open question to the user. */
function keptAfterCrash(state: AgentState) {
  const gated = new Set(state.gates.flatMap((gate) => gate.items.map((item) => item.callId)))
  return (call: AgentState['calls'][number]): boolean => {
    if (gated.size > 0) return gated.has(call.callId)
    return state.waiting === 'answer' && call.kind === 'question' && call.stage === 'running'
  }
}
