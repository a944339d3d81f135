import { join } from 'node:path'
import { openDatabase } from '../../../src/main/store/database/database.ts'
import { createSessionRepository } from '../../../src/main/store/sessions/session-repository.ts'
import { AgentState } from '../../../src/shared/domain/session/agent-state.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'

/**
 * Reads the stored data of a session, while the app runs or after its end.
 *
 * Errors: zod's, where the app would not accept the stored state.
 */
export function storedSession(
  dataDir: string,
  sessionId: string,
): { state: AgentState; items: SessionItem[]; turn: number } {
  const db = openDatabase(join(dataDir, 'tsugi.db'))
  try {
    const repository = createSessionRepository(db)
    const { state, turn } = repository.get(sessionId)
    return { state: AgentState.parse(state), items: repository.allItems(sessionId), turn }
  } finally {
    db.close()
  }
}
