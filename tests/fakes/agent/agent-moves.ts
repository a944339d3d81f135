import type { AgentEvent, ProposedCall } from '../../../src/main/agent/agent-events.ts'
import type { AgentState } from '../../../src/shared/domain/session/agent-state.ts'
import { decision, noDelta, proposal, review, world } from './agent-session.ts'

const steps = ['PLANNING', 'EXECUTION', 'REVIEW', 'AWAITING_APPROVAL'] as const

/**
 * Returns every event that may have an effect in a state, one of each kind that tables and queue distinguish. `callId`
 * names new calls. `direct`: those of a model on the direct path, without separate decisions.
 */
export function movesFrom(
  state: AgentState,
  callId = 'c',
  path: 'decided' | 'direct' = 'decided',
): AgentEvent[] {
  const byModel = path === 'direct' ? directMoves(state, callId) : modelMoves(state, callId)
  return [...userMoves(state), ...hostMoves(state, callId), ...byModel]
}

function directMoves(state: AgentState, callId: string): AgentEvent[] {
  const requestId = state.turn.openRequestId ?? state.turn.lastRequestId
  const otherGoal = state.course.goal === 'a' ? 'b' : 'a'
  const answers = [
    [],
    ...answersWith(callId),
    [
      { kind: 'plan', callId, hash: 'p', proposal: { ...proposal, risk: 'high' } },
      world(`${callId}+`, 'write'),
    ],
    [{ kind: 'plan', callId, hash: 'p', proposal: { ...proposal, risk: 'medium' } }],
    [{ kind: 'todo', callId, todos: [{ text: 'edit', isDone: false }] }],
    [{ kind: 'course', callId, delta: { ...noDelta, goal: otherGoal } }],
  ] satisfies ProposedCall[][]
  const event = (text: string, calls: ProposedCall[]): AgentEvent => ({
    type: 'model.answered',
    requestId,
    text,
    calls,
  })
  // A fork, where changes are staged, makes none.
  const checks = [world(`${callId}!`, 'execute')]
  const checked: AgentEvent[] =
    state.staged === null ? [{ type: 'model.answered', requestId, text: 'done', calls: [], checks }] : []
  const aside: ProposedCall = { kind: 'course', callId, delta: { ...noDelta, open_questions: ['which?'] } }
  return [
    { type: 'model.direct', requestId },
    event('done', []),
    ...checked,
    event('put aside', [aside]),
    ...answers.map((calls) => event('', calls)),
  ]
}

/** Returns the events that a model can cause, for every request, open or not. */
function modelMoves(state: AgentState, callId = 'c'): AgentEvent[] {
  const requestId = state.turn.openRequestId ?? state.turn.lastRequestId
  const filled = { ...noDelta, plan_brief: ['edit'] }
  const decisions = steps.flatMap((step) => [
    decision({ step }),
    decision({ step, state_delta: filled }),
    decision({ step, prompt_pattern: 'base_main' }),
    decision({ step, next_step: 'pending_user' }),
    decision({ step, next_step: 'defer' }),
    decision({ step, next_step: 'done', prompt_pattern: 'base_main' }),
  ])
  const refusing = decision({ constraint_check: { answer: 'no', reason: 'a system file' } })
  return [
    ...[...decisions, refusing].map(
      (asked): AgentEvent => ({ type: 'model.decided', requestId, decision: asked }),
    ),
    ...answersWith(callId).map((calls): AgentEvent => ({ type: 'model.called', requestId, calls })),
    { type: 'reply.finished', requestId },
    { type: 'work.finished', requestId },
  ]
}

function answersWith(callId: string): ProposedCall[][] {
  return [
    [world(callId, 'read')],
    [world(callId, 'write')],
    [world(callId, 'execute')],
    [world(callId, 'write'), world(`${callId}+`, 'execute')],
    [{ kind: 'plan', callId, hash: 'p', proposal }],
    [{ kind: 'plan', callId, hash: 'p', proposal: { ...proposal, risk: 'high' } }],
    [{ kind: 'review', callId, report: review('approve') }],
    [{ kind: 'review', callId, report: review('revise') }],
    [{ kind: 'review', callId, report: review('reject') }],
    [{ kind: 'question', callId, question: '?' }],
    [{ kind: 'invalid', callId }],
  ]
}

function userMoves(state: AgentState): AgentEvent[] {
  const gates = state.gates.flatMap(({ gateId, items }): AgentEvent[] => [
    {
      type: 'gate.approved',
      gateId,
      answers: items.map(({ callId, hash }) => ({ callId, shownHash: hash, hash, isPartial: false })),
    },
    { type: 'gate.rejected', gateId, reason: null },
    { type: 'gate.rejected', gateId, reason: 'not like this' },
  ])
  const questions = state.calls.filter((call) => call.kind === 'question')
  return [
    ...gates,
    ...questions.map(({ callId }): AgentEvent => ({ type: 'user.answer', callId, text: 'yes' })),
    { type: 'user.message', text: 'hello' },
    { type: 'user.stop' },
    { type: 'user.reset' },
    { type: 'user.carry-out' },
    { type: 'user.mode', mode: 'plan' },
    { type: 'user.mode', mode: 'ask' },
  ]
}

function hostMoves(state: AgentState, callId = 'c'): AgentEvent[] {
  const gated = state.gates.flatMap((gate) => gate.items.map((item) => item.callId))
  const asked = state.calls.filter(
    (call) => call.kind === 'world' && call.stage === 'asked' && !gated.includes(call.callId),
  )
  const request = state.turn.gateRequest === 'plan' ? state.plan : state.staged
  const kind = state.turn.gateRequest ?? 'calls'
  const wanted = [
    ...asked.flatMap((call) => (call.kind === 'world' ? [{ callId: call.callId, hash: call.hash }] : [])),
    ...(state.turn.gateRequest !== null && request !== null
      ? [{ callId: request.callId, hash: request.hash }]
      : []),
  ]
  const consents = wanted.flatMap((item): AgentEvent[] => [
    { type: 'consent.granted', records: [{ ...item, by: 'grant', name: 'session' }] },
    { type: 'consent.denied', callIds: [item.callId], reason: 'rule' },
    { type: 'gate.opened', gate: { gateId: `gate of ${item.callId}`, kind, items: [item] } },
  ])
  const ready = state.calls.filter((call) => call.kind === 'world' && call.stage === 'ready')
  const regated = ready.map(({ callId }): AgentEvent => {
    const items = [{ callId, hash: `new ${callId}` }]
    return { type: 'gate.opened', gate: { gateId: `second gate of ${callId}`, kind: 'calls', items } }
  })
  const voids = state.gates.flatMap(({ gateId, items }): AgentEvent[] => [
    { type: 'gate.void', gateId, items: null },
    { type: 'gate.void', gateId, items: items.map((item) => ({ ...item, hash: `new ${item.callId}` })) },
  ])
  const running = state.calls.filter((call) => call.kind === 'world' && call.stage === 'running')
  return [
    ...consents,
    ...regated,
    ...voids,
    ...running.map(({ callId }): AgentEvent => ({ type: 'call.finished', callId, isOk: true })),
    ...(state.staged === null
      ? []
      : running.map(({ callId }): AgentEvent => ({ type: 'call.left', callId }))),
    ...(state.turn.checking === 'running'
      ? running.map(
          ({ callId }): AgentEvent => ({ type: 'call.finished', callId, isOk: false, hasProblems: true }),
        )
      : []),
    { type: 'crash.resume' },
    { type: 'staged.changed', staged: { callId: 'staged', hash: 's' } },
    ...(state.staged === null
      ? []
      : [{ type: 'staged.accepted' } as const, { type: 'staged.refused' } as const]),
    { type: 'turn.adopted', calls: [] },
    { type: 'turn.adopted', calls: [world(callId, 'execute')] },
    { type: 'error', failure: 'model-failed' },
    { type: 'recover' },
  ]
}
