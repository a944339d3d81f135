import type { AgentState } from '../../../shared/domain/session/agent-state.ts'
import type { SpeculationBoundary } from '../../../shared/domain/session/speculation.ts'
import type { PromptEntry } from '../../agent/model/prompt/prompt-entry.ts'
import type { ForkedTurn } from '../../sessions/adopted-turn.ts'

/**
 * Returns the part of a fork that its session adopts: everything that has ended, and the call that it stopped at, which
 * the session asks about. The calls behind that one were never made: they are removed from the history as well.
 *
 * Source: `docs/decisions/speculation.md`, Loop and Accepting.
 */
export function finishedPart(fork: ForkedTurn, boundary: SpeculationBoundary | null): ForkedTurn {
  const kept = keptCalls(fork.state, boundary)
  const isKept = ({ callId }: { callId: string }): boolean => kept.includes(callId)
  return {
    ...fork,
    items: fork.items.filter((item) => item.kind !== 'call' || hasEnded(item.state) || isKept(item)),
    epochs: fork.epochs.map((one) =>
      one.epoch === fork.record.epoch ? { ...one, entries: paired(one.entries, kept) } : one,
    ),
  }
}

function keptCalls({ calls }: AgentState, boundary: SpeculationBoundary | null): string[] {
  const stopped = boundary?.callId ?? null
  return stopped === null ? calls.map(({ callId }) => callId) : [stopped]
}

function hasEnded(state: string): boolean {
  return state === 'done' || state === 'failed' || state === 'refused'
}

/** Pairs calls and results. Calls that still wait for theirs get one, which is removed again, so that they stay. */
function paired(entries: readonly PromptEntry[], kept: readonly string[]): PromptEntry[] {
  const results = kept.map((callId) => ({ turn: 0, role: 'tool', kind: 'result', text: '', callId }) as const)
  const open = new Set<PromptEntry>(results)
  return pairHistory([...entries, ...results]).filter((entry) => !open.has(entry))
}

/**
 * Returns the history without calls that have no result and without results that have no call, matched by call id. A
 * result belongs to the last answer before it and counts once; an answer that loses all its calls keeps its text.
 *
 * Source: `docs/decisions/speculation.md`, Loop.
 */
export function pairHistory(entries: readonly PromptEntry[]): PromptEntry[] {
  const paired = pairsOf(entries)
  return entries.flatMap((entry, index) => {
    if (entry.role === 'tool') return paired.results.has(index) ? [entry] : []
    if (entry.role !== 'assistant' || entry.calls === undefined) return [entry]
    return withCalls(entry, paired.calls.get(index) ?? new Set())
  })
}

/** Shape: `calls`: ids of calls that have a result, by the index of their answer; `results`: indexes of these. */
type Pairs = { calls: Map<number, Set<string>>; results: Set<number> }

function pairsOf(entries: readonly PromptEntry[]): Pairs {
  const pairs: Pairs = { calls: new Map(), results: new Set() }
  let answer = -1
  let open = new Set<string>()
  for (const [index, { role, calls, callId }] of entries.entries()) {
    if (role === 'assistant') {
      answer = index
      open = new Set(calls?.map((call) => call.callId))
    } else if (role === 'tool' && callId !== undefined && open.delete(callId)) {
      pairs.results.add(index)
      pairs.calls.set(answer, (pairs.calls.get(answer) ?? new Set()).add(callId))
    }
  }
  return pairs
}

function withCalls(entry: PromptEntry, answered: Set<string>): PromptEntry[] {
  const { calls = [], ...rest } = entry
  // Each id once, should an answer name one twice.
  const kept = calls.filter(({ callId }) => answered.delete(callId))
  if (kept.length > 0) return [{ ...rest, calls: kept }]
  return rest.text === '' ? [] : [rest]
}
