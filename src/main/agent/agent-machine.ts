import type { GateItem } from '../../shared/domain/session/agent-consent.ts'
import { courseLimits, emptyCourse } from '../../shared/domain/session/agent-course.ts'
import { AgentState, newAgentState } from '../../shared/domain/session/agent-state.ts'
import type { AgentEffect, AgentEvent, EventOf, ProposedCall } from './agent-events.ts'
import {
  askHeldCalls,
  beginTurn,
  fail,
  finishCall,
  leaveCall,
  pump,
  requestPlanGate,
  requestReply,
  startWork,
} from './call-queue.ts'
import { editCourse, settleQuestions, withLine } from './course.ts'
import { approveGate, denyConsent, grantConsent, openGate, rejectGate, voidGate } from './gate-steps.ts'
import { goDirect, takeAnswer, takeDecision, takeReply, takeWork } from './model-steps.ts'
import { takeCalls } from './proposed-calls.ts'
import {
  dropWaitingCalls,
  endAll,
  isRunning,
  leavePlanMode,
  move,
  notice,
  result,
  type StateUpdate,
  setPlan,
  takeCorrection,
  takeCourse,
  updateOf,
} from './state-update.ts'
import { tableProblems } from './tables/check-tables.ts'
import { conditions, isSteerable } from './tables/table-row.ts'

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
  const update = updateOf(state)
  const handle = handlers[event.type] as (update: StateUpdate, event: AgentEvent) => boolean
  if (handle(update, event)) {
    if (update.ended !== null) update.effects.push({ type: 'turn.ended', how: update.ended })
    return { state: update.state, effects: update.effects }
  }
  return { state, effects: [{ type: 'notice', notice: { kind: 'ignored', event: event.type } }] }
}

/** Apply an event to the update; they return false for an event that means nothing in this state. */
const handlers: { [T in AgentEvent['type']]: (update: StateUpdate, event: EventOf<T>) => boolean } = {
  'model.decided': takeDecision,
  'model.called': (update, { requestId, calls }) => takeWork(update, requestId, calls),
  'model.direct': (update, { requestId }) => goDirect(update, requestId),
  'model.answered': takeAnswer,
  'reply.finished': takeReply,
  'work.finished': (update, { requestId }) => takeWork(update, requestId, []),

  'user.message': takeMessage,
  'user.steer': takeMessage,
  'user.answer': takeUserAnswer,
  'user.stop'(update) {
    if (!move(update, 'user.stop')) return false
    endAll(update, 'stopped')
    return true
  },
  'user.reset': restart,
  'user.mode'({ state }, { mode }) {
    if (mode === 'plan' && state.mode !== 'plan') state.modeBefore = state.mode
    state.mode = mode
    return true
  },
  'user.carry-out': carryOutPlan,
  'user.course'(update, { edit }) {
    takeCourse(update, editCourse(update.state, edit))
    return true
  },
  'user.corrected'(update, { texts }) {
    for (const text of texts) takeCorrection(update, text)
    return true
  },

  'consent.granted': grantConsent,
  'consent.denied': denyConsent,
  'gate.opened': openGate,
  'gate.approved': approveGate,
  'gate.rejected': rejectGate,
  'gate.void': voidGate,

  'call.finished': finishCall,
  'call.left': leaveCall,
  'staged.changed': (update, { staged }) => changeStaged(update, staged),
  'staged.accepted': acceptStaged,
  'staged.refused': acceptStaged,
  'turn.adopted': (update, { calls }) =>
    update.state.status === 'ERROR' ? recover(update) : takeTurn(update, calls),
  'reference.added'({ state }, { reference }) {
    state.contextRefs = withLine(state.contextRefs, reference, courseLimits.contextRefs)
    return true
  },
  error(update, { failure }) {
    fail(update, failure)
    return true
  },
  recover,
  'crash.resume': resume,
}

function takeMessage(update: StateUpdate, { type, text }: EventOf<'user.message' | 'user.steer'>): boolean {
  const isInTurn = type === 'user.steer' && isSteerable(update.state)
  const isBeside = conditions['gate-open'](update.state) && !isInTurn
  if (!move(update, type)) return false
  takeCourse(update, settleQuestions(update.state, text))
  // The model reads the message in the next request.
  if (isInTurn && update.state.turn.checking !== 'none') update.state.turn.checking = 'steered'
  if (isBeside) update.effects.push({ type: 'message.beside', text })
  else if (!isInTurn) {
    beginTurn(update, text)
    pump(update)
  }
  return true
}

/** Leaves mode `plan` and carries out the plan. Returns false where the session is in another mode, or not at rest. */
function carryOutPlan(update: StateUpdate): boolean {
  const { state } = update
  if (state.mode !== 'plan' || !move(update, 'user.carry-out')) return false
  beginTurn(update, state.turn.message)
  leavePlanMode(update)
  if (state.waiting === 'work') startWork(update)
  else pump(update)
  return true
}

function takeUserAnswer(update: StateUpdate, { callId, text }: EventOf<'user.answer'>): boolean {
  const { state } = update
  const isAsked = state.calls.some(
    (call) => call.kind === 'question' && call.callId === callId && call.stage === 'running',
  )
  if (!isAsked || !move(update, 'user.answer')) return false
  state.calls = state.calls.filter((call) => call.callId !== callId)
  result(update, callId, 'answered', text)
  // No gate opens while a question is open: the calls behind it are asked about now.
  askHeldCalls(update)
  pump(update)
  return true
}

/** Sets the session back to its start, with an empty course. The history stays. */
function restart(update: StateUpdate): boolean {
  move(update, 'user.reset')
  endAll(update, 'stopped')
  beginTurn(update, '')
  Object.assign(update.state, { course: { ...emptyCourse }, pinned: [], lastDelta: '' })
  setPlan(update, null)
  return true
}

function recover(update: StateUpdate): boolean {
  if (!move(update, 'recover')) return false
  pump(update)
  return true
}

/** Resumes after a crash. Repeats no call, because a call that ran may have been carried out; shows gates again. */
function resume(update: StateUpdate): boolean {
  const { state, effects } = update
  const isAtGate = conditions['gate-open'](state)
  const isInterrupted = move(update, 'crash.resume') && !isAtGate
  const isKept = keptAfterCrash(state)
  for (const call of state.calls)
    if (!isKept(call)) result(update, call.callId, isRunning(call) ? 'interrupted' : 'not-run')
  state.calls = state.calls.filter(isKept)
  Object.assign(state.turn, { openRequestId: null, gateRequest: null })
  for (const gate of state.gates) effects.push({ type: 'gate.show', gate })
  for (const call of state.calls) {
    if (call.kind === 'question' && call.stage === 'running')
      effects.push({ type: 'question.ask', callId: call.callId, question: call.question })
  }
  if (isInterrupted) notice(update, { kind: 'continue-after-crash' })
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

/** Sets or removes the staged changes. Returns false once consent to them was requested. */
function changeStaged({ state }: StateUpdate, staged: GateItem | null): boolean {
  if (state.turn.gateRequest === 'apply') return false
  state.staged = staged && { callId: staged.callId, hash: staged.hash }
  return true
}

/** Accepts a speculation that has stopped: nothing of it is staged, asked or requested any more. */
function acceptStaged(
  update: StateUpdate,
  { type, boundary = null }: EventOf<'staged.accepted' | 'staged.refused'>,
): boolean {
  const { state } = update
  if (state.calls.some(isRunning) || !move(update, type)) return false
  if (boundary !== null) state.calls = state.calls.filter(({ callId }) => callId === boundary)
  if (type === 'staged.refused') {
    Object.assign(state.turn, { openRequestId: null, gateRequest: null })
    dropWaitingCalls(update, 'not-run')
  } else if (state.turn.gateRequest === 'apply') state.turn.gateRequest = null
  for (const call of state.calls) {
    // Consent in a speculation is no consent to make the call in the folder.
    if (call.kind === 'world') Object.assign(call, { stage: 'asked', record: null })
  }
  return true
}

/** Adopts a turn that began elsewhere: what was in progress there is dropped, and begins again here. */
function takeTurn(update: StateUpdate, calls: readonly ProposedCall[]): boolean {
  const { state } = update
  if (!move(update, 'turn.adopted')) return false
  // The open calls are made again: they count once.
  state.counters.calls = Math.max(state.counters.calls - state.calls.length, 0)
  state.calls = []
  state.turn.openRequestId = null
  if (state.waiting === 'work' && calls.length > 0) takeCalls(update, calls)
  else goOn(update)
  return true
}

/** Starts the request or call that the session waits for. */
function goOn(update: StateUpdate): void {
  const { state } = update
  const { turn } = state
  if (state.status !== 'IN_PROGRESS') return
  if (state.waiting === 'reply') requestReply(update, turn.reply?.kind ?? 'plain', turn.reply?.about)
  else if (turn.gateRequest === 'plan') requestPlanGate(update)
  else pump(update)
}

/** Returns the state with nothing in progress, for a conversation in which the open requests and calls will never end. */
export function atRest(state: AgentState): AgentState {
  const { state: stopped } = step(state, { type: 'user.stop' })
  const turn = { ...stopped.turn, openRequestId: null, gateRequest: null }
  return { ...stopped, turn, calls: [], gates: [] }
}

/**
 * Reads a session's stored state. One that is not valid, or contradicts itself, is not patched up: the session starts
 * with a new one and keeps its conversation. `isReset`: a new state was started, which the user is told.
 */
export function restoreAgentState(stored: unknown): { state: AgentState; isReset: boolean } {
  const { data } = AgentState.safeParse(stored)
  return { state: data ?? newAgentState(), isReset: data === undefined }
}
