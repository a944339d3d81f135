import { AgentMemory } from '../../shared/domain/session/agent-state.ts'
import { mergedCorrections } from '../agent/course.ts'
import type { WorkRepository } from '../store/works/work-repository.ts'

const stateKey = 'agent-memory'

/** Returns the memory of each project, as it is stored. */
export function keptMemory(works: Pick<WorkRepository, 'getState' | 'setState'>) {
  return {
    get: (workId: string) => AgentMemory.safeParse(works.getState(workId, stateKey)).data,
    set: (workId: string, value: AgentMemory) => works.setState(workId, stateKey, value),
  }
}

/**
 * Returns a project's memory after one of its sessions has changed its own from `before` to `now`: what other sessions
 * added meanwhile is kept. Of patterns, the user's last decision counts.
 */
export function mergedMemory(
  stored: AgentMemory | undefined,
  before: AgentMemory,
  now: AgentMemory,
): AgentMemory {
  if (stored === undefined) return now
  const isTaught = JSON.stringify(before.learnedPatterns) !== JSON.stringify(now.learnedPatterns)
  return {
    filesWritten: stored.filesWritten + Math.max(0, now.filesWritten - before.filesWritten),
    operationsSucceeded:
      stored.operationsSucceeded + Math.max(0, now.operationsSucceeded - before.operationsSucceeded),
    learnedPatterns: isTaught ? now.learnedPatterns : stored.learnedPatterns,
    corrections: mergedCorrections(stored.corrections, before.corrections, now.corrections),
  }
}
