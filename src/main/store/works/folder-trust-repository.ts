import type { FolderTrust } from '../../../shared/domain/session/consent-rule.ts'
import type { Db } from '../database/database.ts'

/** Which folders the user trusts, by their real path: one that was moved is another folder. */
export type FolderTrustRepository = ReturnType<typeof createFolderTrustRepository>

export function createFolderTrustRepository(db: Db) {
  const select = db.prepare<[string], { is_trusted: number }>(
    'SELECT is_trusted FROM folder_trust WHERE root = ?',
  )
  const upsert = db.prepare(
    `INSERT INTO folder_trust (root, is_trusted, decided_at) VALUES (?, ?, ?)
     ON CONFLICT (root) DO UPDATE SET is_trusted = excluded.is_trusted, decided_at = excluded.decided_at`,
  )
  return {
    get(root: string): FolderTrust {
      const row = select.get(root)
      return { isTrusted: row?.is_trusted === 1, isAsked: row !== undefined }
    },
    set: (root: string, isTrusted: boolean, at: number): void => void upsert.run(root, isTrusted ? 1 : 0, at),
  }
}
