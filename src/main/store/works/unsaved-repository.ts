import { z } from 'zod'
import { lateNode } from '../../platform/node/late-node.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders } from '../database/stored-rows.ts'

/** Text that could not be written to its file. Shape: `baseHash` is the hash of the content that was edited. */
export type UnsavedText = { file: string; at: number; baseHash: string | null; text: string }

/** Upper limit of a document's text. */
const limitTextBytes = 512 * 1024 * 1024

/**
 * The safety net for autosave: texts that could not be written to their files, and the documents that are open.
 *
 * Shape: `file` is the real absolute path.
 */
export type UnsavedRepository = ReturnType<typeof createUnsavedRepository>

const Row = z.object({
  at: z.number(),
  base_hash: z.string().nullable(),
  text: z.instanceof(Buffer).transform((bytes, context) => {
    try {
      return lateNode.zlib().inflateRawSync(bytes, { maxOutputLength: limitTextBytes }).toString('utf16le')
    } catch {
      context.addIssue({ code: 'custom', message: 'no text' })
      return z.NEVER
    }
  }),
})
const LeftRow = z.object({ file: z.string(), savedAt: z.number().nullable(), hasText: z.number() })

export function createUnsavedRepository(db: Db, read = createRowReaders()) {
  const [rows, leftRows] = [read('unsaved_texts', Row), read('open_documents', LeftRow)]
  const upsert = db.prepare(
    `INSERT INTO unsaved_texts (file, at, base_hash, text) VALUES (?, ?, ?, ?) ON CONFLICT (file)
     DO UPDATE SET at = excluded.at, base_hash = excluded.base_hash, text = excluded.text`,
  )
  const select = db.prepare<[string]>('SELECT file, at, base_hash, text FROM unsaved_texts WHERE file = ?')
  const discard = db.prepare('DELETE FROM unsaved_texts WHERE file = ?')
  const opened = db.prepare('INSERT OR REPLACE INTO open_documents (file, opened_at) VALUES (?, ?)')
  const saved = db.prepare('UPDATE open_documents SET saved_at = ? WHERE file = ?')
  const closed = db.prepare('DELETE FROM open_documents WHERE file = ?')
  const moveText = db.prepare('UPDATE OR REPLACE unsaved_texts SET file = ? WHERE file = ?')
  const moveOpen = db.prepare('UPDATE OR REPLACE open_documents SET file = ? WHERE file = ?')
  const left = db.prepare(
    `SELECT file, saved_at AS savedAt, EXISTS (SELECT 1 FROM unsaved_texts u WHERE u.file = d.file) AS hasText
     FROM open_documents d ORDER BY file`,
  )
  const clear = db.prepare('DELETE FROM open_documents')
  return {
    keep: ({ file, at, baseHash, text }: UnsavedText): void =>
      void upsert.run(
        file,
        at,
        baseHash,
        lateNode.zlib().deflateRawSync(Buffer.from(text, 'utf16le'), { level: 1 }),
      ),
    find(file: string): UnsavedText | undefined {
      const [row] = rows.all(select.all(file))
      return row === undefined ? undefined : { file, at: row.at, baseHash: row.base_hash, text: row.text }
    },
    discard: (file: string): void => void discard.run(file),
    opened: (file: string, at: number): void => void opened.run(file, at),
    saved: (file: string, at: number): void => void saved.run(at, file),
    closed: (file: string): void => void closed.run(file),
    moved(from: string, to: string): void {
      moveText.run(to, from)
      moveOpen.run(to, from)
    },
    /** Returns, once, the documents that an earlier host did not close, and forgets them. */
    takeLeftovers: () =>
      db.transaction(() => {
        const stored = left.all()
        // Deleting all rows writes to the disk even where the table is empty.
        if (stored.length > 0) clear.run()
        return leftRows
          .all(stored)
          .map((row) => ({ file: row.file, savedAt: row.savedAt, hasUnsavedText: row.hasText === 1 }))
      })(),
  }
}
