import { describe, expect, it } from 'vitest'
import { movesFrom } from '../../../tests/fakes/agent-moves.ts'
import { placeOf } from '../../../tests/fakes/agent-session.ts'
import { AgentState, newAgentState } from '../../shared/domain/session/agent-state.ts'
import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { AgentEvent } from './agent-events.ts'
import { step } from './agent-machine.ts'

/** Ways out that are always open, and would hide a dead end. */
const wayOut: readonly AgentEvent['type'][] = ['user.reset', 'session.start', 'crash.resume']

type Node = { state: AgentState; next: Set<string>; nextByModel: Set<string> }

/**
 * Plays every event in every state that the machine can reach. Two states are one where no table tells them
 * apart; counters that matter only when they are used up are also tried as used up, wherever they count.
 */
function searchFrom(mode: AgentMode, path: 'decided' | 'direct'): Map<string, Node> {
  const nodes = new Map<string, Node>()
  const open: Node[] = []
  const triedUsedUp = new Set<string>()
  const visit = (state: AgentState): string => {
    const key = keyOf(state)
    if (!nodes.has(key)) {
      const node = {
        state: { ...state, history: [] },
        next: new Set<string>(),
        nextByModel: new Set<string>(),
      }
      nodes.set(key, node)
      open.push(node)
    }
    return key
  }
  visit({ ...newAgentState(), mode })
  for (let node = open.shift(); node !== undefined; node = open.shift()) {
    // Out of mode plan all is as in the search of the other mode.
    if (node.state.mode !== mode) continue
    const own = keyOf(node.state)
    for (const event of movesFrom(node.state, 'c', path)) {
      if (event.type === 'user.mode') continue
      const { state } = step(node.state, event)
      // An event that says nothing here leaves the state itself: most do.
      const key = state === node.state ? own : visit(state)
      const isByModel = event.type.startsWith('model.') || event.type.endsWith('.finished')
      if (!wayOut.includes(event.type)) node.next.add(key)
      if (isByModel && event.type !== 'call.finished') node.nextByModel.add(key)
      if (state.counters.decisions > 0 && !triedUsedUp.has(key)) {
        triedUsedUp.add(key)
        visit({ ...state, counters: { ...state.counters, recoveries: 2 } })
        visit({ ...state, counters: { ...state.counters, decisions: 4 } })
        if (path === 'direct') visit({ ...state, counters: { ...state.counters, requests: 50 } })
        if (state.turn.checking !== 'none') visit({ ...state, counters: { ...state.counters, checkRuns: 3 } })
      }
    }
  }
  return nodes
}

/**
 * Everything that the machine goes by: counters only where they decide something, texts only where they are
 * there. Invalid calls and the cap of calls are left out: they end in the same error as any other failure.
 */
function keyOf(state: AgentState): string {
  const { counters, turn } = state
  const gated = new Set(state.gates.flatMap((gate) => gate.items.map((item) => item.callId)))
  return JSON.stringify([
    state.mode === 'plan',
    placeOf(state),
    [counters.requested, counters.refusals, counters.recoveries === 2, counters.decisions === 4],
    [counters.calls === 0],
    [state.plan?.risk, state.course.planBrief.length > 0, state.staged !== null],
    state.gates.map((gate) => gate.kind),
    state.calls.map((call) => [call.kind, call.stage, gated.has(call.callId)]),
    [turn.isResumed, turn.isEnding, turn.isContinued, turn.hasProposedPlan, turn.review?.verdict],
    [turn.gateRequest, turn.openRequestId !== null],
    [turn.isDirect, turn.isSilent, turn.reviewing, counters.requests === 50, state.plan?.isDerived],
    [turn.checking, turn.checking !== 'none' && counters.checkRuns === 3],
  ])
}

/** The states from which none of `goals` can be reached. */
function lostStates(nodes: Map<string, Node>, isGoal: (state: AgentState) => boolean): string[] {
  const before = new Map<string, string[]>()
  for (const [key, node] of nodes) {
    for (const next of node.next) {
      const known = before.get(next)
      if (known === undefined) before.set(next, [key])
      else known.push(key)
    }
  }
  const open = [...nodes].filter(([, node]) => isGoal(node.state)).map(([key]) => key)
  const saved = new Set(open)
  for (let key = open.shift(); key !== undefined; key = open.shift()) {
    for (const other of before.get(key) ?? []) {
      if (!saved.has(other)) open.push(other)
      saved.add(other)
    }
  }
  return [...nodes.keys()].filter((key) => !saved.has(key))
}

/** A session in progress has something under way that will come back. */
function isUnderWay({ status, waiting, turn, calls }: AgentState): boolean {
  if (status !== 'IN_PROGRESS' || waiting === 'none') return true
  return turn.openRequestId !== null || turn.gateRequest !== null || calls.length > 0
}

describe.each([
  { path: 'decided', mode: 'ask', states: 32_224 },
  { path: 'decided', mode: 'plan', states: 25_100 },
  { path: 'direct', mode: 'ask', states: 47_130 },
  ...(process.env.TSUGI_SOAK === undefined
    ? []
    : [{ path: 'direct', mode: 'plan', states: 24_242 } as const]),
] as const)('every state that can be reached in mode $mode, $path', ({ mode, path, states }) => {
  const nodes = searchFrom(mode, path)
  const all = [...nodes.values()]

  it(`is one of ${states}`, () => {
    expect(nodes.size).toBe(states)
  })

  it('is a state that can be stored and restored', () => {
    expect(all.filter(({ state }) => !AgentState.safeParse(state).success)).toEqual([])
  })

  it('waits for nothing that will never come', () => {
    expect(all.filter((node) => !isUnderWay(node.state)).map((node) => keyOf(node.state))).toEqual([])
  })

  it('leads to the end of the task without a reset', () => {
    expect(lostStates(nodes, (state) => state.mode !== mode || placeOf(state) === 'PLANNING/S none')).toEqual(
      [],
    )
  })

  it('leaves AWAITING_APPROVAL by no event of the model', () => {
    const awaiting = [...nodes].filter(([, node]) => node.state.step === 'AWAITING_APPROVAL')
    expect(awaiting.length).toBeGreaterThan(100)
    for (const [key, node] of awaiting) expect([...node.nextByModel]).toEqual([key])
  })
})
