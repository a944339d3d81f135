import type { GateItem } from '../../shared/domain/session/agent-consent.ts'
import type { ProposedCall } from './agent-events.ts'
import { pump, requestGate, requestReply } from './call-queue.ts'
import { takeCalls } from './proposed-calls.ts'
import { dropWaitingCalls, isRunning, move, type StateUpdate } from './state-update.ts'

/** Sets or removes the staged changes. Returns false once consent to them was requested. */
export function changeStaged({ state }: StateUpdate, staged: GateItem | null): boolean {
  if (state.turn.gateRequest === 'apply') return false
  state.staged = staged && { callId: staged.callId, hash: staged.hash }
  return true
}

/** Accepts a speculation that has stopped: nothing of it is staged, asked or requested any more. */
export function acceptStaged(update: StateUpdate, how: 'staged.applied' | 'staged.refused'): boolean {
  const { state } = update
  if (state.calls.some(isRunning) || !move(update, how)) return false
  if (how === 'staged.refused') {
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
export function takeTurn(update: StateUpdate, calls: readonly ProposedCall[]): boolean {
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

/** Begins what the session waits for. */
function goOn(update: StateUpdate): void {
  const { state } = update
  const { turn } = state
  if (state.status !== 'IN_PROGRESS') return
  if (state.waiting === 'reply') requestReply(update, turn.reply?.kind ?? 'plain', turn.reply?.about)
  else if (state.waiting === 'gate') {
    const kind = turn.gateRequest ?? 'plan'
    const item = kind === 'plan' ? state.plan : state.staged
    if (item !== null) requestGate(update, kind, item.callId, item.hash)
  } else pump(update)
}
