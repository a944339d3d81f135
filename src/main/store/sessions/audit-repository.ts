import { z } from 'zod'
import { AuditEntry } from '../../../shared/domain/session/consent-rule.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'

/** Decisions, kept for good: also those of a session that is removed. */
export type AuditRepository = ReturnType<typeof createAuditRepository>

const Row = z.object({ seq: z.number(), value: jsonOf(AuditEntry.omit({ seq: true })) })

export function createAuditRepository(db: Db, read = createRowReaders()) {
  const rows = read('audit', Row)
  const insert = db.prepare('INSERT INTO audit (session_id, value) VALUES (?, ?)')
  const select = db.prepare<[string, number]>(
    'SELECT seq, value FROM audit WHERE session_id = ? AND seq < ? ORDER BY seq DESC',
  )
  return {
    add(entry: Omit<AuditEntry, 'seq'>): AuditEntry {
      const { lastInsertRowid } = insert.run(entry.sessionId, JSON.stringify(entry))
      return { ...entry, seq: Number(lastInsertRowid) }
    },
    /** Newest first; `before` is a `seq`. */
    list(
      sessionId: string,
      { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
    ): { entries: AuditEntry[]; hasMore: boolean } {
      const { found, hasMore } = rows.page(select.iterate(sessionId, before), limit)
      return { entries: found.map(({ seq, value }) => ({ ...value, seq })), hasMore }
    },
  }
}
