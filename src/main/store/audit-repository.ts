import { AuditEntry } from '../../shared/domain/session/audit-entry.ts'
import type { Db } from './database.ts'

/** Decisions, kept for good: also those of a session that is removed. */
export type AuditRepository = {
  add(entry: Omit<AuditEntry, 'seq'>): AuditEntry
  /** Newest first; `before` is a `seq`. */
  list(
    sessionId: string,
    query: { before?: number | undefined; limit: number },
  ): { entries: AuditEntry[]; hasMore: boolean }
}

type Row = { seq: number; value: string }

export function createAuditRepository(db: Db): AuditRepository {
  const insert = db.prepare('INSERT INTO audit (session_id, value) VALUES (?, ?)')
  const select = db.prepare<[string, number, number], Row>(
    'SELECT seq, value FROM audit WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
  )
  return {
    add(entry) {
      const { lastInsertRowid } = insert.run(entry.sessionId, JSON.stringify(entry))
      return { ...entry, seq: Number(lastInsertRowid) }
    },
    list(sessionId, { before = Number.MAX_SAFE_INTEGER, limit }) {
      const rows = select.all(sessionId, before, limit + 1)
      return { entries: rows.slice(0, limit).map(entryOf), hasMore: rows.length > limit }
    },
  }
}

function entryOf({ seq, value }: Row): AuditEntry {
  return AuditEntry.parse({ ...JSON.parse(value), seq })
}
