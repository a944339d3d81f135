import type { PromptEntry } from '../../agent/model/prompt/prompt-entry.ts'

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
