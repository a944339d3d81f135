import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { movesFrom } from '../../../tests/fakes/agent/agent-moves.ts'
import { placeOf } from '../../../tests/fakes/agent/agent-session.ts'
import { AgentState, newAgentState } from '../../shared/domain/session/agent-state.ts'
import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { AgentEvent } from './agent-events.ts'
import { step } from './agent-machine.ts'

/** Ways out that are always open, and would hide a dead end. */
const exits: readonly AgentEvent['type'][] = ['user.reset', 'crash.resume']

type Node = { state: AgentState; next: Set<number>; nextByModel: Set<number> }

/**
 * Plays every event in every state that the machine can reach. Two states are one where no table tells them
 * apart; counters that matter only when they are used up are also tried as used up, wherever they count.
 */
function searchFrom(mode: AgentMode, path: 'decided' | 'direct'): Node[] {
  const nodes: Node[] = []
  const numbers = new Map<string, number>()
  const triedUsedUp = new Set<number>()
  const visit = (state: AgentState): number => {
    const key = keyOf(state)
    const known = numbers.get(key)
    if (known !== undefined) return known
    numbers.set(key, nodes.length)
    return nodes.push({ state: { ...state, history: [] }, next: new Set(), nextByModel: new Set() }) - 1
  }
  visit({ ...newAgentState(), mode })
  // The loop also visits the states that it adds while it runs.
  for (const [own, node] of nodes.entries()) {
    // A state that left mode plan is covered by the search of the other mode.
    if (node.state.mode !== mode) continue
    for (const event of movesFrom(node.state, 'c', path)) {
      if (event.type === 'user.mode') continue
      const { state } = step(node.state, event)
      // Most events have no effect in a state, and the same object comes back.
      const key = state === node.state ? own : visit(state)
      const isByModel = event.type.startsWith('model.') || event.type.endsWith('.finished')
      if (!exits.includes(event.type)) node.next.add(key)
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
 * Returns all that the machine's decisions depend on: counters only where they decide something, of texts only
 * whether they exist. Invalid calls and the cap of calls are left out: they end in the same error as any other failure.
 */
function keyOf(state: AgentState): string {
  const { counters, turn } = state
  const { gates } = state
  const isGated = (callId: string) => gates.some(({ items }) => items.some((item) => item.callId === callId))
  return [
    state.mode === 'plan',
    placeOf(state),
    counters.requested,
    counters.refusals,
    counters.recoveries === 2,
    counters.decisions === 4,
    counters.calls === 0,
    state.plan?.risk,
    state.course.planBrief.length > 0,
    state.staged !== null,
    gates.map(({ kind }) => kind).join(' '),
    state.calls.map(({ kind, stage, callId }) => `${kind} ${stage} ${isGated(callId)}`).join(' '),
    turn.isResumed,
    turn.isEnding,
    turn.isContinued,
    turn.hasProposedPlan,
    turn.review?.verdict,
    turn.gateRequest,
    turn.openRequestId !== null,
    turn.isDirect,
    turn.isSilent,
    turn.reviewing,
    counters.requests === 50,
    state.plan?.isDerived,
    turn.checking,
    turn.hasChanged,
    turn.checking !== 'none' && counters.checkRuns === 3,
  ].join()
}

/** The states from which none of `goals` can be reached. */
function lostStates(nodes: readonly Node[], isGoal: (state: AgentState) => boolean): string[] {
  const before = nodes.map((): number[] => [])
  for (const [at, { next }] of nodes.entries()) for (const after of next) before[after]?.push(at)
  const saved = new Set(nodes.flatMap(({ state }, at) => (isGoal(state) ? [at] : [])))
  // Iterating over a set reaches what is added meanwhile.
  for (const at of saved) for (const other of before[at] ?? []) saved.add(other)
  return nodes.flatMap(({ state }, at) => (saved.has(at) ? [] : [keyOf(state)]))
}

/** A session in progress has something under way that will come back. */
function isInProgress({ status, waiting, turn, calls }: AgentState): boolean {
  if (status !== 'IN_PROGRESS' || waiting === 'none') return true
  return turn.openRequestId !== null || turn.gateRequest !== null || calls.length > 0
}

describe.each([
  { path: 'decided', mode: 'ask', states: 36_842 },
  { path: 'decided', mode: 'plan', states: 27_246 },
  { path: 'direct', mode: 'ask', states: 117_553 },
  ...(process.env.TSUGI_SOAK === undefined
    ? []
    : [{ path: 'direct', mode: 'plan', states: 41_327 } as const]),
] as const)('every state that can be reached in mode $mode, $path', ({ mode, path, states }) => {
  let nodes: Node[] = []
  beforeAll(() => {
    nodes = searchFrom(mode, path)
  })
  // The states would stay in the memory of the process, and make each child that it starts slower.
  afterAll(() => {
    nodes = []
  })

  it(`is one of ${states}`, () => {
    expect(nodes).toHaveLength(states)
  })

  it('is a state that can be stored and restored', () => {
    // `TSUGI_SOAK` parses all of them.
    const parsed = process.env.TSUGI_SOAK === undefined ? nodes.filter((_, at) => at % 5 === 0) : nodes
    expect(parsed.filter(({ state }) => !AgentState.safeParse(state).success)).toEqual([])
  })

  it('waits for nothing that will never come', () => {
    expect(nodes.filter((node) => !isInProgress(node.state)).map((node) => keyOf(node.state))).toEqual([])
  })

  it('leads to the end of the task without a reset', () => {
    expect(lostStates(nodes, (state) => state.mode !== mode || placeOf(state) === 'PLANNING/S none')).toEqual(
      [],
    )
  })

  it('leaves AWAITING_APPROVAL by no event of the model', () => {
    const awaiting = [...nodes.entries()].filter(([, { state }]) => state.step === 'AWAITING_APPROVAL')
    expect(awaiting.length).toBeGreaterThan(100)
    const left = awaiting.filter(([at, { nextByModel }]) => nextByModel.size !== 1 || !nextByModel.has(at))
    expect(left).toEqual([])
  })
})
