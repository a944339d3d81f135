import type {
  AgentGate,
  DecisionRecord,
  GateAnswer,
  GateItem,
} from '../../shared/domain/session/agent-consent.ts'
import { courseLimits } from '../../shared/domain/session/agent-course.ts'
import { type AgentState, counterLimits } from '../../shared/domain/session/agent-state.ts'
import type { AgentEvent } from './agent-events.ts'
import { askHeldCalls, pump, startWork } from './call-queue.ts'
import {
  type Draft,
  dropTodosBehind,
  dropWaitingCalls,
  leavePlanMode,
  move,
  notice,
  result,
  setPlan,
  takeCorrection,
  withdrawGates,
} from './draft.ts'
import { withLine } from './with-line.ts'

type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>
type WorldCall = Extract<AgentState['calls'][number], { kind: 'world' }>

/** Applies consent that needs no question. A record counts only for a call that was asked about, with the same hash. */
export function grantConsent(draft: Draft, { records }: EventOf<'consent.granted'>): boolean {
  const taken = records.map((record) => grantOne(draft, record))
  pump(draft)
  for (const call of draft.state.calls) {
    if (call.kind === 'world' && call.stage === 'ready' && call.record !== null && call.record.by !== 'user')
      call.record = { ...call.record, hasWaited: true }
  }
  return taken.includes(true)
}

function grantOne(draft: Draft, record: DecisionRecord): boolean {
  const { state } = draft
  const wanted = requestedItem(state)
  if (wanted !== null && isSame(wanted, record)) return grantPlan(draft)
  const call = askedCall(state, record.callId)
  const isFree = call !== undefined && !isGated(state, call.callId) && call.hash === record.hash
  if (call === undefined || !isFree) return false
  Object.assign(call, { stage: 'ready', record })
  return true
}

function grantPlan(draft: Draft): boolean {
  const { state } = draft
  state.turn.gateRequest = null
  move(draft, 'consent.plan')
  if (state.turn.isDirect) goOnWithPlan(draft)
  return true
}

/** Goes on after an accepted plan: asks for consent to the other calls of the plan's answer. */
function goOnWithPlan(draft: Draft): void {
  draft.state.turn.hasProposedPlan = false
  askHeldCalls(draft)
}

/** Applies a rule's denial: denied calls get their result; a denied plan ends the turn. */
export function denyConsent(draft: Draft, { callIds, reason }: EventOf<'consent.denied'>): boolean {
  const { state } = draft
  const wanted = requestedItem(state)
  const isRequest = wanted !== null && callIds.includes(wanted.callId)
  if (isRequest) {
    move(draft, 'consent.denied')
    state.turn.gateRequest = null
    dropWaitingCalls(draft, 'denied')
  }
  const denied = callIds.filter((id) => askedCall(state, id) !== undefined && !isGated(state, id))
  for (const id of denied) result(draft, id, 'denied', reason)
  dropTodosBehind(draft, denied)
  state.calls = state.calls.filter((call) => !denied.includes(call.callId))
  pump(draft)
  return isRequest || denied.length > 0
}

/** Opens a gate for calls that wait for consent, or for the plan that a gate was requested for. */
export function openGate(draft: Draft, { gate }: EventOf<'gate.opened'>): boolean {
  const { state } = draft
  if (state.gates.some((other) => other.gateId === gate.gateId)) return false
  if (gate.kind === 'calls' ? !canAsk(state, gate) : !isRequested(state, gate)) return false
  if (!move(draft, gate.kind === 'calls' ? 'gate.opened-calls' : 'gate.opened-plan')) return false
  if (gate.kind === 'calls') askAgain(state, gate.items)
  state.turn.gateRequest = null
  state.gates.push(gate)
  draft.effects.push({ type: 'gate.show', gate })
  return true
}

function canAsk(state: AgentState, gate: AgentGate): boolean {
  const isWorking = state.status === 'IN_PROGRESS' && state.waiting === 'work'
  const ids = new Set(gate.items.map((item) => item.callId))
  if (!(isWorking || state.gates.some((other) => other.kind === 'calls'))) return false
  return ids.size === gate.items.length && gate.items.every(({ callId }) => isAskable(state, callId))
}

function isAskable(state: AgentState, callId: string): boolean {
  return (
    state.calls.some((call) => call.callId === callId && call.kind === 'world') && !isGated(state, callId)
  )
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
export function approveGate(draft: Draft, { gateId, answers }: EventOf<'gate.approved'>): boolean {
  const { state } = draft
  const gate = state.gates.find((open) => open.gateId === gateId)
  if (gate === undefined) return false
  const records = recordsOf(gate, answers)
  if (records === null) {
    notice(draft, { kind: 'stale-approval', gateId })
    draft.effects.push({ type: 'gate.show', gate })
    return true
  }
  move(draft, gate.kind === 'calls' ? 'gate.approved-calls' : 'gate.approved-plan')
  state.gates = state.gates.filter((open) => open !== gate)
  if (gate.kind === 'calls') approveCalls(draft, gate, records)
  else approvePlan(draft)
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

function approveCalls(draft: Draft, gate: AgentGate, records: readonly DecisionRecord[]): void {
  const { state } = draft
  for (const { callId } of gate.items) {
    const call = askedCall(state, callId)
    const record = records.find((given) => given.callId === callId)
    if (call !== undefined && record !== undefined)
      Object.assign(call, { stage: 'ready', record, hash: record.hash })
    else refuse(draft, [callId], null)
  }
  pump(draft)
}

function approvePlan(draft: Draft): void {
  const { state } = draft
  if (state.plan !== null)
    state.decisionLog = withLine(state.decisionLog, state.plan.title, courseLimits.decisionLog)
  if (state.mode === 'plan') leavePlanMode(draft)
  if (state.turn.isDirect) goOnWithPlan(draft)
  startWork(draft)
}

/** Applies the user's refusal. In EXECUTION the task goes back to planning, elsewhere it is the call's result. */
export function rejectGate(draft: Draft, { gateId, reason }: EventOf<'gate.rejected'>): boolean {
  const { state } = draft
  const gate = state.gates.find((open) => open.gateId === gateId)
  if (gate === undefined) return false
  const goesOn = state.turn.isDirect && reason !== null
  const isApproval = state.step === 'AWAITING_APPROVAL' && !(goesOn && gate.kind === 'calls')
  const withReason = gate.kind === 'plan' ? 'gate.rejected-plan-with-reason' : 'gate.rejected-with-reason'
  move(draft, reason === null ? 'gate.rejected' : withReason)
  state.gates = state.gates.filter((open) => open !== gate)
  if (reason !== null) takeCorrection(draft, reason)
  // The model reads why a check was refused in the next request.
  if (goesOn && state.turn.checking !== 'none') state.turn.checking = 'steered'
  if (gate.kind === 'calls')
    refuse(
      draft,
      gate.items.map((item) => item.callId),
      reason,
    )
  if (isApproval) {
    withdrawGates(draft)
    dropWaitingCalls(draft, 'not-run')
    if (goesOn) {
      setPlan(draft, null)
      state.turn.hasProposedPlan = false
      notice(draft, { kind: 'plan-refused', reason })
    }
    if (reason !== null && state.waiting === 'none') notice(draft, { kind: 'limit', limit: 'recoveries' })
    // The plan stays, and no gate will ask about it again.
    if (reason === null && gate.kind === 'plan' && state.mode === 'plan')
      notice(draft, { kind: 'leave-plan-mode' })
  }
  pump(draft)
  return true
}

function refuse(draft: Draft, callIds: readonly string[], reason: string | null): void {
  for (const callId of callIds) result(draft, callId, 'rejected', reason)
  dropTodosBehind(draft, callIds)
  draft.state.calls = draft.state.calls.filter((call) => !callIds.includes(call.callId))
}

/** Handles files that changed under an open gate: asks again about the new items; null gives an error result. */
export function voidGate(draft: Draft, { gateId, items }: EventOf<'gate.void'>): boolean {
  const { state } = draft
  const gate = state.gates.find((open) => open.gateId === gateId)
  if (gate === undefined) return false
  if (items !== null) return renewGate(draft, gate, items)
  move(draft, gate.kind === 'calls' ? 'gate.void-calls' : 'gate.void-plan')
  state.gates = state.gates.filter((open) => open !== gate)
  state.counters.calls = Math.min(state.counters.calls + 1, counterLimits.calls)
  for (const { callId } of gate.items) result(draft, callId, 'void')
  const gone = gate.items.map((item) => item.callId)
  if (gate.kind === 'calls') {
    dropTodosBehind(draft, gone)
    state.calls = state.calls.filter((call) => !gone.includes(call.callId))
  }
  pump(draft)
  return true
}

function renewGate(draft: Draft, gate: AgentGate, items: readonly GateItem[]): boolean {
  const { state } = draft
  const isSameCalls =
    items.length === gate.items.length &&
    gate.items.every((item) => items.some((renewed) => renewed.callId === item.callId))
  if (!isSameCalls || gate.kind !== 'calls') return false
  move(draft, 'gate.renewed')
  gate.items = [...items]
  askAgain(state, items)
  draft.effects.push({ type: 'gate.show', gate })
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
