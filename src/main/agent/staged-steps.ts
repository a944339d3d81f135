import type { GateItem } from '../../shared/domain/session/agent-consent.ts'
import type { ProposedCall } from './agent-events.ts'
import { pump, requestGate, requestReply } from './call-queue.ts'
import { type Draft, dropWaitingCalls, isRunning, move } from './draft.ts'
import { takeCalls } from './proposed-calls.ts'

/** Sets or removes the staged changes. Returns false once consent to them was requested. */
export function changeStaged({ state }: Draft, staged: GateItem | null): boolean {
  if (state.turn.gateRequest === 'apply') return false
  state.staged = staged && { callId: staged.callId, hash: staged.hash }
  return true
}

/** Accepts a speculation that has stopped: nothing of it is staged, asked or requested any more. */
export function acceptStaged(draft: Draft, how: 'staged.applied' | 'staged.refused'): boolean {
  const { state } = draft
  if (state.calls.some(isRunning) || !move(draft, how)) return false
  if (how === 'staged.refused') {
    Object.assign(state.turn, { openRequestId: null, gateRequest: null })
    dropWaitingCalls(draft, 'not-run')
  } else if (state.turn.gateRequest === 'apply') state.turn.gateRequest = null
  for (const call of state.calls) {
    // Consent in a speculation is no consent to make the call in the folder.
    if (call.kind === 'world') Object.assign(call, { stage: 'asked', record: null })
  }
  return true
}

/** Takes over a turn that began elsewhere: what was under way there is dropped, and begins again here. */
export function takeTurn(draft: Draft, calls: readonly ProposedCall[]): boolean {
  const { state } = draft
  if (!move(draft, 'turn.taken')) return false
  // The open calls are made again: they count once.
  state.counters.calls = Math.max(state.counters.calls - state.calls.length, 0)
  state.calls = []
  state.turn.openRequestId = null
  if (state.waiting === 'work' && calls.length > 0) takeCalls(draft, calls)
  else goOn(draft)
  return true
}

/** Begins what the session waits for. */
function goOn(draft: Draft): void {
  const { state } = draft
  const { turn } = state
  if (state.status !== 'IN_PROGRESS') return
  if (state.waiting === 'reply') requestReply(draft, turn.reply?.kind ?? 'plain', turn.reply?.about)
  else if (state.waiting === 'gate') {
    const kind = turn.gateRequest ?? 'plan'
    const item = kind === 'plan' ? state.plan : state.staged
    if (item !== null) requestGate(draft, kind, item.callId, item.hash)
  } else pump(draft)
}
