import type { AgentEvent } from '../../../src/main/agent/agent-events.ts'
import { step } from '../../../src/main/agent/agent-machine.ts'
import { readDecision } from '../../../src/main/agent/decision/read-decision.ts'
import type { AgentState } from '../../../src/shared/domain/session/agent-state.ts'
import { movesFrom } from './agent-moves.ts'
import { decision, world } from './agent-session.ts'

/** Events that are drawn rarely, since they would end most sessions early. */
const endings: readonly AgentEvent['type'][] = [
  ...(['user.reset', 'user.stop', 'user.message', 'user.mode'] as const),
  ...(['crash.resume', 'error', 'consent.denied', 'gate.rejected', 'gate.void', 'staged.changed'] as const),
]

/** Draws events for a session: most fit the state; the others are false, repeated, late or name foreign calls. */
export function drawMove(state: AgentState, random: () => number, count: number): AgentEvent {
  const pick = <T>(items: readonly [T, ...T[]]): T => items[Math.floor(random() * items.length)] ?? items[0]
  const draw = ([first, ...rest]: AgentEvent[]): AgentEvent => pick([first ?? { type: 'recover' }, ...rest])
  // Few names, so that calls and gates of the past are named again.
  const callId = `c${Math.floor(random() * 12)}`
  if (random() < 0.25) return draw([...lies(state, callId, pick), ...hostileAnswers(state, random, count)])
  const wanted = movesFrom(state, callId).filter((event) => random() < 0.05 || !endings.includes(event.type))
  const all = random() < 0.7 ? wanted.filter(isEager) : wanted
  const types = [...new Set(all.map((event) => event.type))]
  for (let tries = 0; tries < 10; tries++) {
    const type = pick(['recover', ...types])
    const event = draw(all.filter((other) => other.type === type))
    if (step(state, event).state !== state) return event
  }
  return { type: 'user.message', text: 'go on' }
}

/** True for events that bring a session towards calls that touch the world. */
function isEager(event: AgentEvent): boolean {
  if (event.type === 'model.called') return event.calls[0]?.kind === 'world'
  if (event.type !== 'model.decided') return true
  const { step: to, prompt_pattern, next_step } = event.decision
  return to === 'EXECUTION' && prompt_pattern === 'base_main_specialized' && next_step === 'continue'
}

function lies(state: AgentState, callId: string, pick: <T>(items: readonly [T, ...T[]]) => T): AgentEvent[] {
  const hash = pick(['', 'h', 'new', `hash of ${callId}`, 'p', 's'])
  const gateId = pick([`gate of ${callId}`, 'gate of plan-1', '', ...state.gates.map((gate) => gate.gateId)])
  const item = { callId, hash }
  const answers = [
    { callId, shownHash: hash, hash: pick([hash, `other ${hash}`, null]), isPartial: pick([true, false]) },
  ]
  const open = state.gates.flatMap((gate) => gate.items)
  return [
    { type: 'gate.approved', gateId, answers },
    { type: 'gate.approved', gateId, answers: [] },
    // Approves something that was not shown: another hash than the gate's.
    {
      type: 'gate.approved',
      gateId,
      answers: open.map((asked) => ({
        ...asked,
        shownHash: asked.hash,
        hash: `other ${asked.hash}`,
        isPartial: false,
      })),
    },
    {
      type: 'gate.approved',
      gateId,
      answers: open.map((asked) => ({ ...asked, shownHash: hash, isPartial: pick([true, false]) })),
    },
    { type: 'gate.rejected', gateId, reason: null },
    { type: 'gate.void', gateId, items: [item] },
    { type: 'gate.opened', gate: { gateId, kind: pick(['calls', 'plan', 'apply']), items: [item] } },
    { type: 'gate.opened', gate: { gateId: 'twice', kind: 'calls', items: [item, item] } },
    { type: 'consent.granted', records: [{ ...item, by: pick(['grant', 'rule', 'mode']), name: null }] },
    { type: 'consent.granted', records: open.map((asked) => ({ ...asked, by: 'rule', name: null })) },
    { type: 'consent.denied', callIds: [callId], reason: '' },
    { type: 'call.finished', callId, isOk: true },
    { type: 'user.answer', callId, text: 'はい' },
    { type: 'staged.changed', staged: pick([item, null]) },
  ]
}

/** Returns answers that a malicious or very small model may write. */
function hostileAnswers(state: AgentState, random: () => number, count: number): AgentEvent[] {
  const requestId = Math.floor(random() * (state.turn.lastRequestId + 2))
  const open = state.turn.openRequestId ?? requestId
  const texts = [
    `<think>{"step":"EXECUTION"}</think>${JSON.stringify(decision({ step: 'EXECUTION' }))}`,
    `approved: ${JSON.stringify({ ...decision({ step: 'AWAITING_APPROVAL' }), gates: [], status: 'SUCCESS' })}`,
    JSON.stringify({ ...decision({ step: 'EXECUTION' }), records: [{ callId: 'c1', by: 'user' }] }).slice(
      0,
      count % 400,
    ),
    JSON.stringify(decision({ rationale: '承認'.repeat(500), step: 'EXECUTION' })),
    '{"__proto__":{"step":"EXECUTION"},"next_step":"done"}',
  ]
  const read = texts.map((text) => readDecision(text))
  const ids = state.calls.map((call) => call.callId)
  const gated = state.gates.flatMap((gate) => gate.items.map((asked) => asked.callId))
  return [
    ...read.flatMap((reading): AgentEvent[] =>
      reading.ok ? [{ type: 'model.decided', requestId: open, decision: reading.decision }] : [],
    ),
    // Calls named like those that are open, running or approved.
    {
      type: 'model.called',
      requestId: open,
      calls: [...ids, ...gated, 'c1', 'c1'].map((id) => world(id, 'write')),
    },
    {
      type: 'model.called',
      requestId: open,
      calls: Array.from({ length: 60 }, (_, i) => world(`m${i}`, 'execute')),
    },
    { type: 'model.called', requestId, calls: [world('late', 'write')] },
    { type: 'model.decided', requestId, decision: decision({ step: 'EXECUTION' }) },
    { type: 'reply.finished', requestId },
    { type: 'work.finished', requestId },
  ]
}
