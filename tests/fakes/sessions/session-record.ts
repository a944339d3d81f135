import type { SessionRecord } from '../../../src/main/store/sessions/session-repository.ts'
import { newAgentState } from '../../../src/shared/domain/session/agent-state.ts'
import { noSessionStats } from '../../../src/shared/domain/session/session.ts'

/** Returns the stored record of a session without messages. */
export function newSessionRecord(sessionId: string, workId: string): SessionRecord {
  return {
    session: { sessionId, workId, title: '', createdAt: 0, updatedAt: 0, messages: 0, branchedFrom: null },
    isTitled: false,
    language: 'en',
    turn: 0,
    epoch: 0,
    lastSeq: 0,
    state: newAgentState(),
    rules: [],
    stats: noSessionStats,
    queue: [],
    folders: [],
  }
}
