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
import type { AgentEffect } from './agent-events.ts'
import { type CourseChange, noteCorrection, planBriefOf } from './course.ts'
import { type Cause, errorTable, hostTable, type RowId } from './tables/agent-tables.ts'
import { type Action, conditions, isFrom, type TableRow, targetOf, viaOf } from './tables/table-row.ts'

/**
 * A step of the machine in progress: a writable copy of the state, and the effects for the runner.
 *
 * Shape: `ended` where the step ends a turn.
 */
export type StateUpdate = { state: AgentState; effects: AgentEffect[]; ended: TurnEnd | null }

/** Begins an update of a state. Parts that steps write into are copied; all others are only replaced as a whole. */
export function updateOf(state: AgentState): StateUpdate {
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

const rowsOf = new Map<Cause, TableRow<RowId>[]>()
for (const row of [...hostTable, ...errorTable])
  for (const cause of row.causes) rowsOf.set(cause, [...(rowsOf.get(cause) ?? []), row])

/** Applies the first table row that fits a cause. Returns false, and changes nothing, where no row fits. */
export function move(update: StateUpdate, cause: Cause): boolean {
  const { state } = update
  const row = rowsOf
    .get(cause)
    ?.find((one) => isFrom(one, state) && (one.when === undefined || conditions[one.when](state)))
  if (row === undefined) return false
  const target = targetOf(row, state.step)
  if (target !== null) {
    const via = viaOf(row, state.step)
    if (via !== null) goTo(state, via, row.id)
    goTo(state, target, row.id, recordedIn(row))
    state.waiting = target.waiting
  }
  for (const action of row.actions) act(update, action)
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

function act(update: StateUpdate, action: Action): void {
  switch (action.type) {
    case 'turn.ended':
      update.ended = action.how
      return
    case 'adopt-end':
      update.ended = update.state.history.at(-1)?.ended ?? null
      return
    case 'archive-plan':
      setPlan(update, null)
      return
    case 'unstage':
      update.state.staged = null
      return
    case 'use-recovery':
      giveBack(update.state)
      return
    case 'notice':
      notice(update, action.notice)
      return
    case 'reviewed':
      return // Only recorded in the history.
  }
}

type MoveCause = RowId | `model/${AgentStep}-${AgentStep}` | 'call/propose_plan' | 'call/change' | 'checks'

/** Changes step and status, and records it in the history. Staying is recorded only where a turn or a review ends with it. */
export function goTo(state: AgentState, to: AgentPlace, cause: MoveCause, recorded: Recorded = {}): void {
  const from = { step: state.step, status: state.status }
  const isMoving = from.step !== to.step || from.status !== to.status
  if (!isMoving && recorded.ended === undefined && recorded.review === undefined) return
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

export function notice(update: StateUpdate, value: AgentNotice): void {
  update.effects.push({ type: 'notice', notice: value })
}

export function result(
  update: StateUpdate,
  callId: string,
  outcome: CallOutcome,
  reason: string | null = null,
): void {
  update.effects.push({ type: 'call.result', callId, outcome, reason })
}

/** Ends the request that is open, if any: its later events are ignored. */
export function abortRequest(update: StateUpdate): void {
  const { turn } = update.state
  if (turn.openRequestId !== null) update.effects.push({ type: 'model.abort', requestId: turn.openRequestId })
  turn.openRequestId = null
}

/** Gives every call that has not begun this outcome. Calls that run go on until they have their result. */
export function dropWaitingCalls(update: StateUpdate, outcome: CallOutcome): void {
  const { state } = update
  for (const call of state.calls) if (!isRunning(call)) result(update, call.callId, outcome)
  state.calls = state.calls.filter(isRunning)
}

/** Drops to-dos that the same answer wrote after a call that did not succeed: they may claim too much. */
export function dropTodosBehind(update: StateUpdate, callIds: readonly string[]): void {
  const { state } = update
  const first = state.calls.findIndex(({ callId }) => callIds.includes(callId))
  const dropped = first < 0 ? [] : state.calls.slice(first).filter(({ kind }) => kind === 'todo')
  for (const { callId } of dropped) result(update, callId, 'not-run')
  state.calls = state.calls.filter((call) => !dropped.includes(call))
}

/** True for a call that the runner is carrying out; false for a question to the user. */
export function isRunning(call: AgentState['calls'][number]): boolean {
  return call.kind === 'world' && call.stage === 'running'
}

/** Withdraws every gate. This is never consent: the calls of a gate get no decision record. */
export function withdrawGates(update: StateUpdate): void {
  for (const gate of update.state.gates) update.effects.push({ type: 'gate.withdraw', gateId: gate.gateId })
  update.state.gates = []
  update.state.turn.gateRequest = null
}

/** Ends all that is in progress, for a stop, an error, a reset. */
export function endAll(update: StateUpdate, outcome: CallOutcome): void {
  update.state.turn.checking = 'none'
  abortRequest(update)
  withdrawGates(update)
  dropWaitingCalls(update, outcome)
  for (const { callId } of update.state.calls) update.effects.push({ type: 'call.stop', callId })
}

export function takeCourse(update: StateUpdate, { notices, ...parts }: CourseChange): void {
  Object.assign(update.state, parts)
  for (const value of notices) notice(update, value)
}

/** Counts a correction; proposes to remember one that repeats too often. */
export function takeCorrection(update: StateUpdate, text: string): void {
  const { memory, proposed } = noteCorrection(update.state.memory, text)
  update.state.memory = memory
  if (proposed !== null) notice(update, { kind: 'pattern-proposed', pattern: proposed })
}

export function setPlan(update: StateUpdate, plan: AgentPlan | null): void {
  const { state } = update
  state.plan = plan
  state.course = { ...state.course, planBrief: planBriefOf(plan, state) }
}

/** Sets the mode back to the one before `plan`. */
export function leavePlanMode(update: StateUpdate): void {
  const { state } = update
  state.mode = state.modeBefore
  notice(update, { kind: 'plan-mode-left', mode: state.mode })
}
