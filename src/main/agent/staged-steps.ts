import type { AgentGate, GateItem } from '../../shared/domain/session/agent-consent.ts'
import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import type { ProposedCall } from './agent-events.ts'
import type { RowId } from './agent-tables.ts'
import { fail, pump, requestGate, requestReply, takeCalls } from './call-queue.ts'
import { conditions } from './conditions.ts'
import { abortRequest, type Draft, goTo, isRunning, move } from './draft.ts'

/** Staged changes come and go, but not under a gate that asks about them. */
export function changeStaged({ state }: Draft, staged: GateItem | null): boolean {
  const isAsked = state.turn.gateRequest === 'apply' || state.gates.some((gate) => gate.kind === 'apply')
  if (isAsked || state.waiting === 'applying') return false
  state.staged = staged && { callId: staged.callId, hash: staged.hash }
  return true
}

/** What was done ahead is asked about as one; where a review had not approved it, the session comes back here. */
export function acceptStaged(draft: Draft, { callId, hash }: GateItem): boolean {
  const { state } = draft
  if (state.calls.some(isRunning)) return false
  const item = { callId, hash }
  if (state.turn.gateRequest === 'apply') state.staged = { ...state.staged, ...item }
  else {
    const { step, status, waiting } = state
    if (!move(draft, 'staged.accepted')) return false
    abortRequest(draft)
    forgetConsent(state)
    state.staged = { ...item, back: { step, status, waiting } }
  }
  requestGate(draft, 'apply', callId, hash)
  return true
}

/** Consent to a call that would have been made ahead is none to make it here. */
function forgetConsent(state: AgentState): void {
  for (const call of state.calls) {
    if (call.kind === 'world') Object.assign(call, { stage: 'asked', record: null })
  }
}

export function finishApplying(draft: Draft): boolean {
  const { state } = draft
  if (state.waiting !== 'applying') return false
  const isAccepted = conditions.accepted(state)
  move(draft, 'apply.finished')
  if (isAccepted) goBack(draft, 'apply.finished/accepted')
  else state.staged = null
  return true
}

/** To where the session stood when its staged changes were accepted. Nothing is staged any more. */
export function goBack(draft: Draft, cause: RowId): void {
  const { state } = draft
  const back = state.staged?.back
  state.staged = null
  if (back === undefined) return
  goTo(state, back, cause)
  state.waiting = back.waiting
  goOn(draft)
}

/** All of it is refused. */
export function refuseStaged(draft: Draft, gate: AgentGate): void {
  const { state } = draft
  state.gates = state.gates.filter((open) => open !== gate)
  discardStaged(draft)
  fail(draft, 'review-rejected', 'staged.refused')
}

export function discardStaged({ state, effects }: Draft): void {
  if (state.staged !== null) effects.push({ type: 'staged.discard', callId: state.staged.callId })
  state.staged = null
}

/** A turn that was begun elsewhere: what was under way there is nobody's any more, and begins anew. */
export function takeTurn(draft: Draft, calls: readonly ProposedCall[]): boolean {
  const { state } = draft
  if (!move(draft, 'turn.taken')) return false
  // They count once.
  state.counters.calls = Math.max(state.counters.calls - state.calls.length, 0)
  state.calls = []
  state.turn.openRequestId = null
  if (state.waiting === 'work' && calls.length > 0) takeCalls(draft, calls)
  else goOn(draft)
  return true
}

/** Begins what the session waits for. */
function goOn(draft: Draft): void {
  const { state, effects } = draft
  const { turn } = state
  if (state.status !== 'IN_PROGRESS') return
  const asked = state.calls.filter(({ kind, stage }) => kind === 'world' && stage === 'asked')
  if (asked.length > 0) effects.push({ type: 'consent.ask', callIds: asked.map(({ callId }) => callId) })
  if (state.waiting === 'reply') requestReply(draft, turn.reply?.kind ?? 'plain', turn.reply?.about)
  else if (state.waiting === 'gate') {
    const kind = turn.gateRequest ?? 'plan'
    const item = kind === 'plan' ? state.plan : state.staged
    if (item !== null) requestGate(draft, kind, item.callId, item.hash)
  } else pump(draft)
}
