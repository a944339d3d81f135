import { isDeepStrictEqual } from 'node:util'
import type { AgentMemory } from '../../shared/domain/session/agent-state.ts'

/**
 * A project's memory after one of its sessions has gone on from `before` to `now`: others may have added to it
 * meanwhile, and lose nothing. What the user has said about patterns last counts.
 */
export function mergedMemory(
  stored: AgentMemory | undefined,
  before: AgentMemory,
  now: AgentMemory,
): AgentMemory {
  if (stored === undefined) return now
  const isTaught = !isDeepStrictEqual(before.learnedPatterns, now.learnedPatterns)
  return {
    filesWritten: stored.filesWritten + Math.max(0, now.filesWritten - before.filesWritten),
    operationsSucceeded:
      stored.operationsSucceeded + Math.max(0, now.operationsSucceeded - before.operationsSucceeded),
    learnedPatterns: isTaught ? now.learnedPatterns : stored.learnedPatterns,
  }
}
