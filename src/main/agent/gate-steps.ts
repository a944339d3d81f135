import type {
  AgentGate,
  DecisionRecord,
  GateAnswer,
  GateItem,
} from '../../shared/domain/session/agent-consent.ts'
import { courseLimits } from '../../shared/domain/session/agent-course.ts'
import { type AgentState, counterLimits } from '../../shared/domain/session/agent-state.ts'
import type { EventOf } from './agent-events.ts'
import { askHeldCalls, pump, startWork } from './call-queue.ts'
import { withLine } from './course.ts'
import {
  dropTodosBehind,
  dropWaitingCalls,
  leavePlanMode,
  move,
  notice,
  result,
  type StateUpdate,
  setPlan,
  takeCorrection,
  withdrawGates,
} from './state-update.ts'

type WorldCall = Extract<AgentState['calls'][number], { kind: 'world' }>

/** Applies consent that needs no question. A record counts only for a call that was asked about, with the same hash. */
export function grantConsent(update: StateUpdate, { records }: EventOf<'consent.granted'>): boolean {
  const granted = records.map((record) => grantOne(update, record))
  pump(update)
  for (const call of update.state.calls) {
    if (call.kind === 'world' && call.stage === 'ready' && call.record !== null && call.record.by !== 'user')
      call.record = { ...call.record, hasWaited: true }
  }
  return granted.includes(true)
}

function grantOne(update: StateUpdate, record: DecisionRecord): boolean {
  const { state } = update
  const wanted = requestedItem(state)
  if (wanted !== null && isSame(wanted, record)) {
    state.turn.gateRequest = null
    move(update, 'consent.plan')
    if (state.turn.isDirect) goOnWithPlan(update)
    return true
  }
  const call = askedCall(state, record.callId)
  const isFree = call !== undefined && !isGated(state, call.callId) && call.hash === record.hash
  if (call === undefined || !isFree) return false
  Object.assign(call, { stage: 'ready', record })
  return true
}

/** Goes on after an accepted plan: asks for consent to the other calls of the plan's answer. */
function goOnWithPlan(update: StateUpdate): void {
  update.state.turn.hasProposedPlan = false
  askHeldCalls(update)
}

/** Applies a rule's denial: denied calls get their result; a denied plan ends the turn. */
export function denyConsent(update: StateUpdate, { callIds, reason }: EventOf<'consent.denied'>): boolean {
  const { state } = update
  const wanted = requestedItem(state)
  const isRequest = wanted !== null && callIds.includes(wanted.callId)
  if (isRequest) {
    move(update, 'consent.denied')
    state.turn.gateRequest = null
    dropWaitingCalls(update, 'denied')
  }
  const denied = callIds.filter((id) => askedCall(state, id) !== undefined && !isGated(state, id))
  for (const id of denied) result(update, id, 'denied', reason)
  dropTodosBehind(update, denied)
  state.calls = state.calls.filter((call) => !denied.includes(call.callId))
  pump(update)
  return isRequest || denied.length > 0
}

/** Opens a gate for calls that wait for consent, or for the plan that a gate was requested for. */
export function openGate(update: StateUpdate, { gate }: EventOf<'gate.opened'>): boolean {
  const { state } = update
  if (state.gates.some((other) => other.gateId === gate.gateId)) return false
  if (gate.kind === 'calls' ? !canAsk(state, gate) : !isRequested(state, gate)) return false
  if (!move(update, gate.kind === 'calls' ? 'gate.opened-calls' : 'gate.opened-plan')) return false
  if (gate.kind === 'calls') askAgain(state, gate.items)
  state.turn.gateRequest = null
  state.gates.push(gate)
  update.effects.push({ type: 'gate.show', gate })
  return true
}

function canAsk(state: AgentState, gate: AgentGate): boolean {
  const isWorking = state.status === 'IN_PROGRESS' && state.waiting === 'work'
  const ids = new Set(gate.items.map((item) => item.callId))
  if (!(isWorking || state.gates.some((other) => other.kind === 'calls'))) return false
  const known = new Set(state.calls.flatMap(({ kind, callId }) => (kind === 'world' ? callId : [])))
  return ids.size === gate.items.length && [...ids].every((id) => known.has(id) && !isGated(state, id))
}

function isRequested(state: AgentState, gate: AgentGate): boolean {
  const wanted = requestedItem(state)
  const [item, ...others] = gate.items
  if (gate.kind !== 'plan' || wanted === null || item === undefined) return false
  return others.length === 0 && isSame(wanted, item)
}

/** Takes back consent that the calls of these items had: it was given for other content than is shown now. */
function askAgain(state: AgentState, items: readonly GateItem[]): void {
  for (const call of state.calls) {
    const item = items.find((asked) => asked.callId === call.callId)
    if (item !== undefined && call.kind === 'world')
      Object.assign(call, { stage: 'asked', record: null, hash: item.hash })
  }
}

/** Applies the user's approval. Where the hashes shown are not those of the gate, it is stale: shows the gate again. */
export function approveGate(update: StateUpdate, { gateId, answers }: EventOf<'gate.approved'>): boolean {
  const { state } = update
  const gate = state.gates.find((open) => open.gateId === gateId)
  if (gate === undefined) return false
  const records = recordsOf(gate, answers)
  if (records === null) {
    notice(update, { kind: 'stale-approval', gateId })
    update.effects.push({ type: 'gate.show', gate })
    return true
  }
  move(update, gate.kind === 'calls' ? 'gate.approved-calls' : 'gate.approved-plan')
  state.gates = state.gates.filter((open) => open !== gate)
  if (gate.kind === 'calls') approveCalls(update, gate, records)
  else approvePlan(update)
  return true
}

function recordsOf(gate: AgentGate, answers: readonly GateAnswer[]): DecisionRecord[] | null {
  if (answers.length !== gate.items.length) return null
  const records: DecisionRecord[] = []
  for (const item of gate.items) {
    const answer = answers.find((given) => given.callId === item.callId)
    if (answer === undefined || answer.shownHash !== item.hash) return null
    const isWhole = answer.hash === item.hash
    if (answer.hash !== null && !isWhole && !(answer.isPartial && gate.kind !== 'plan')) return null
    if (answer.hash !== null) records.push({ callId: item.callId, by: 'user', name: null, hash: answer.hash })
  }
  return records.length === 0 ? null : records
}

function approveCalls(update: StateUpdate, gate: AgentGate, records: readonly DecisionRecord[]): void {
  const { state } = update
  for (const { callId } of gate.items) {
    const call = askedCall(state, callId)
    const record = records.find((given) => given.callId === callId)
    if (call !== undefined && record !== undefined)
      Object.assign(call, { stage: 'ready', record, hash: record.hash })
    else refuse(update, [callId], null)
  }
  pump(update)
}

function approvePlan(update: StateUpdate): void {
  const { state } = update
  if (state.plan !== null)
    state.decisionLog = withLine(state.decisionLog, state.plan.title, courseLimits.decisionLog)
  if (state.mode === 'plan') leavePlanMode(update)
  if (state.turn.isDirect) goOnWithPlan(update)
  startWork(update)
}

/** Applies the user's refusal. In EXECUTION the task goes back to planning, elsewhere it is the call's result. */
export function rejectGate(update: StateUpdate, { gateId, reason }: EventOf<'gate.rejected'>): boolean {
  const { state } = update
  const gate = state.gates.find((open) => open.gateId === gateId)
  if (gate === undefined) return false
  const goesOn = state.turn.isDirect && reason !== null
  const isApproval = state.step === 'AWAITING_APPROVAL' && !(goesOn && gate.kind === 'calls')
  const withReason = gate.kind === 'plan' ? 'gate.rejected-plan-with-reason' : 'gate.rejected-with-reason'
  move(update, reason === null ? 'gate.rejected' : withReason)
  state.gates = state.gates.filter((open) => open !== gate)
  if (reason !== null) takeCorrection(update, reason)
  // The model reads why a check was refused in the next request.
  if (goesOn && state.turn.checking !== 'none') state.turn.checking = 'steered'
  if (gate.kind === 'calls')
    refuse(
      update,
      gate.items.map((item) => item.callId),
      reason,
    )
  if (isApproval) {
    withdrawGates(update)
    dropWaitingCalls(update, 'not-run')
    if (goesOn) {
      setPlan(update, null)
      state.turn.hasProposedPlan = false
      notice(update, { kind: 'plan-refused', reason })
    }
    // The plan stays, and no gate will ask about it again.
    if (reason === null && gate.kind === 'plan' && state.mode === 'plan')
      notice(update, { kind: 'leave-plan-mode' })
  }
  pump(update)
  return true
}

function refuse(update: StateUpdate, callIds: readonly string[], reason: string | null): void {
  for (const callId of callIds) result(update, callId, 'rejected', reason)
  dropTodosBehind(update, callIds)
  update.state.calls = update.state.calls.filter((call) => !callIds.includes(call.callId))
}

/** Handles files that changed under an open gate: asks again about the new items; null gives an error result. */
export function voidGate(update: StateUpdate, { gateId, items }: EventOf<'gate.void'>): boolean {
  const { state } = update
  const gate = state.gates.find((open) => open.gateId === gateId)
  if (gate === undefined) return false
  if (items !== null) return renewGate(update, gate, items)
  move(update, gate.kind === 'calls' ? 'gate.void-calls' : 'gate.void-plan')
  state.gates = state.gates.filter((open) => open !== gate)
  state.counters.calls = Math.min(state.counters.calls + 1, counterLimits.calls)
  for (const { callId } of gate.items) result(update, callId, 'void')
  const gone = gate.items.map((item) => item.callId)
  if (gate.kind === 'calls') {
    dropTodosBehind(update, gone)
    state.calls = state.calls.filter((call) => !gone.includes(call.callId))
  }
  pump(update)
  return true
}

function renewGate(update: StateUpdate, gate: AgentGate, items: readonly GateItem[]): boolean {
  const { state } = update
  const isSameCalls =
    items.length === gate.items.length &&
    gate.items.every((item) => items.some((renewed) => renewed.callId === item.callId))
  if (!isSameCalls || gate.kind !== 'calls') return false
  move(update, 'gate.renewed')
  gate.items = [...items]
  askAgain(state, items)
  update.effects.push({ type: 'gate.show', gate })
  return true
}

/** Returns the plan that a gate was requested for, else null. */
function requestedItem(state: AgentState): GateItem | null {
  return state.turn.gateRequest === 'plan' ? state.plan : null
}

function askedCall(state: AgentState, callId: string): WorldCall | undefined {
  const call = state.calls.find((open) => open.callId === callId)
  return call?.kind === 'world' && call.stage === 'asked' ? call : undefined
}

function isGated(state: AgentState, callId: string): boolean {
  return state.gates.some(
    (gate) => gate.kind === 'calls' && gate.items.some((item) => item.callId === callId),
  )
}

function isSame(a: GateItem, b: GateItem): boolean {
  return a.callId === b.callId && a.hash === b.hash
}
