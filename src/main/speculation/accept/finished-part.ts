import type { AgentState } from '../../../shared/domain/session/agent-state.ts'
import type { SpeculationBoundary } from '../../../shared/domain/session/speculation.ts'
import type { PromptEntry } from '../../agent/model/prompt/prompt-entry.ts'
import type { ForkedTurn } from '../../sessions/forked-turn.ts'
import { pairHistory } from './pair-history.ts'

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
    state: { ...fork.state, calls: fork.state.calls.filter(isKept) },
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
