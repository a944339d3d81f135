import type { AgentNotice, CallOutcome } from '../../shared/domain/session/agent-notice.ts'
import type { AgentPlan } from '../../shared/domain/session/agent-plan.ts'
import {
  type AgentState,
  type AgentTransition,
  counterLimits,
  historyLimit,
  type TurnEnd,
} from '../../shared/domain/session/agent-state.ts'
import type { AgentPlace, AgentStep } from '../../shared/domain/session/agent-step.ts'
import type { AgentEffect } from './agent-effects.ts'
import { noteCorrection } from './corrections.ts'
import { type CourseChange, planBriefOf } from './course.ts'
import { errorTable, hostTable, type RowId } from './tables/agent-tables.ts'
import { conditions } from './tables/conditions.ts'
import { type Action, type Cause, isFrom, type TableRow, targetOf, viaOf } from './tables/table-row.ts'

/**
 * A step of the machine under way: a writable copy of the state, and the effects for the runner.
 *
 * Shape: `ended` where the step ends a turn.
 */
export type Draft = { state: AgentState; effects: AgentEffect[]; ended: TurnEnd | null }

/** Returns a draft of a state. Parts that steps write into are copied; all others are only replaced as a whole. */
export function draftOf(state: AgentState): Draft {
  const { counters, turn, memory, calls, gates } = state
  const copy = {
    ...state,
    counters: { ...counters },
    turn: { ...turn },
    memory: { ...memory },
    calls: calls.map((call) => ({ ...call })),
    gates: gates.map((gate) => ({ ...gate })),
  }
  return { state: copy, effects: [], ended: null }
}

const rows: readonly TableRow<RowId>[] = [...hostTable, ...errorTable]

/** Returns the table row for a cause: the first whose place and condition fit. */
function findRow(state: AgentState, cause: Cause): TableRow<RowId> | undefined {
  return rows.find(
    (row) =>
      row.causes.includes(cause) &&
      isFrom(row, state) &&
      (row.when === undefined || conditions[row.when](state)),
  )
}

/** Applies the table row for a cause. Returns false, and changes nothing, where no row fits. */
export function move(draft: Draft, cause: Cause): boolean {
  const { state } = draft
  const row = findRow(state, cause)
  if (row === undefined) return false
  const target = targetOf(row, state.step)
  if (target !== null) {
    const via = viaOf(row, state.step)
    if (via !== null) goTo(state, via, row.id)
    goTo(state, target, row.id, recordedIn(row))
    state.waiting = target.waiting
  }
  for (const action of row.actions) act(draft, action)
  return true
}

type Recorded = Pick<AgentTransition, 'ended' | 'review'>

/** Returns the fields that a row's actions add to the history entry. */
function recordedIn({ actions }: TableRow): Recorded {
  const recorded: Recorded = {}
  for (const action of actions) {
    if (action.type === 'turn.ended') recorded.ended = action.how
    if (action.type === 'reviewed') recorded.review = action.verdict
  }
  return recorded
}

function act(draft: Draft, action: Action): void {
  switch (action.type) {
    case 'turn.ended':
      draft.ended = action.how
      return
    case 'archive-plan':
      setPlan(draft, null)
      return
    case 'unstage':
      draft.state.staged = null
      return
    case 'use-recovery':
      giveBack(draft.state)
      return
    case 'notice':
      notice(draft, action.notice)
      return
    case 'reviewed':
      return // Recorded in the history only.
  }
}

/** Records a turn that ends where no row of the tables ends it. */
export function endTurn(draft: Draft, how: TurnEnd, cause: RowId): void {
  const { state } = draft
  goTo(state, { step: state.step, status: state.status }, cause, { ended: how })
  draft.ended = how
}

type MoveCause = RowId | `model/${AgentStep}-${AgentStep}` | 'call/propose_plan' | 'call/change' | 'checks'

/** Changes step and status, and records it in the history. Staying is recorded only where a turn ends with it. */
export function goTo(state: AgentState, to: AgentPlace, cause: MoveCause, recorded: Recorded = {}): void {
  const from = { step: state.step, status: state.status }
  const isMoving = from.step !== to.step || from.status !== to.status
  if (!isMoving && recorded.ended === undefined) return
  const seq = (state.history.at(-1)?.seq ?? 0) + 1
  const transition = { seq, from, to: { step: to.step, status: to.status }, cause, ...recorded }
  state.history = [...state.history, transition].slice(-historyLimit)
  state.step = to.step
  state.status = to.status
}

function giveBack(state: AgentState): void {
  const { recoveries } = state.counters
  const used = Math.min(recoveries + 1, counterLimits.recoveries)
  state.counters = { ...state.counters, recoveries: used, requested: 0, refusals: 0, invalidAnswers: 0 }
}

export function notice(draft: Draft, value: AgentNotice): void {
  draft.effects.push({ type: 'notice', notice: value })
}

export function result(
  draft: Draft,
  callId: string,
  outcome: CallOutcome,
  reason: string | null = null,
): void {
  draft.effects.push({ type: 'call.result', callId, outcome, reason })
}

/** Ends the request that is open, if any: its later events are ignored. */
export function abortRequest(draft: Draft): void {
  const { turn } = draft.state
  if (turn.openRequestId !== null) draft.effects.push({ type: 'model.abort', requestId: turn.openRequestId })
  turn.openRequestId = null
}

/** Gives every call that has not begun this outcome. Calls that run go on until they have their result. */
export function dropWaitingCalls(draft: Draft, outcome: CallOutcome): void {
  const { state } = draft
  for (const call of state.calls) if (!isRunning(call)) result(draft, call.callId, outcome)
  state.calls = state.calls.filter(isRunning)
}

/** Drops to-dos that the same answer wrote after a call that did not succeed: they may claim too much. */
export function dropTodosBehind(draft: Draft, callIds: readonly string[]): void {
  const { state } = draft
  const first = state.calls.findIndex(({ callId }) => callIds.includes(callId))
  const dropped = first < 0 ? [] : state.calls.slice(first).filter(({ kind }) => kind === 'todo')
  for (const { callId } of dropped) result(draft, callId, 'not-run')
  state.calls = state.calls.filter((call) => !dropped.includes(call))
}

/** True for a call that the runner is carrying out; false for a question to the user. */
export function isRunning(call: AgentState['calls'][number]): boolean {
  return call.kind === 'world' && call.stage === 'running'
}

function stopRunningCalls(draft: Draft): void {
  for (const call of draft.state.calls) {
    if (isRunning(call)) draft.effects.push({ type: 'call.stop', callId: call.callId })
  }
}

/** Withdraws every gate. This is never consent: the calls of a gate get no decision record. */
export function withdrawGates(draft: Draft): void {
  for (const gate of draft.state.gates) draft.effects.push({ type: 'gate.withdraw', gateId: gate.gateId })
  draft.state.gates = []
  draft.state.turn.gateRequest = null
}

/** Ends all that is under way, for a stop, an error, a reset. */
export function endAll(draft: Draft, outcome: CallOutcome): void {
  draft.state.turn.checking = 'none'
  abortRequest(draft)
  withdrawGates(draft)
  dropWaitingCalls(draft, outcome)
  stopRunningCalls(draft)
}

export function takeCourse(draft: Draft, { notices, ...parts }: CourseChange): void {
  Object.assign(draft.state, parts)
  for (const value of notices) notice(draft, value)
}

/** Counts a correction; proposes to remember one that repeats too often. */
export function takeCorrection(draft: Draft, text: string): void {
  const { memory, proposed } = noteCorrection(draft.state.memory, text)
  draft.state.memory = memory
  if (proposed !== null) notice(draft, { kind: 'pattern-proposed', pattern: proposed })
}

export function setPlan(draft: Draft, plan: AgentPlan | null): void {
  const { state } = draft
  state.plan = plan
  state.course = { ...state.course, planBrief: planBriefOf(plan, state) }
}

/** Sets the mode back to the one before `plan`. */
export function leavePlanMode(draft: Draft): void {
  const { state } = draft
  state.mode = state.modeBefore
  notice(draft, { kind: 'plan-mode-left', mode: state.mode })
}
