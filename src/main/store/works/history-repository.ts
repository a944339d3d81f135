import { z } from 'zod'
import { HistoryReason } from '../../../shared/domain/work/history-entry.ts'
import { isAppError } from '../../../shared/errors.ts'
import { countText, type TextCount } from '../../../shared/text/manuscript/character-count.ts'
import type { Random } from '../../deps.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders } from '../database/stored-rows.ts'
import { hashBytes, type TextChunks } from '../database/text-chunks.ts'

/** Shape: `file` is the real absolute path. */
export type StoredSnapshot = {
  id: string
  file: string
  at: number
  reason: HistoryReason
  /** Null for a snapshot of an earlier version of the app; `counted` returns it. */
  count: SnapshotCount | null
}

type SnapshotCount = Pick<TextCount, 'characters' | 'words'>
const noCount: SnapshotCount = { characters: 0, words: 0 }

/** Snapshots of files, by content. */
export type HistoryRepository = ReturnType<typeof createHistoryRepository>

const Row = z.object({
  id: z.string(),
  file: z.string(),
  at: z.number(),
  reason: HistoryReason,
  characters: z.int().min(0).nullable(),
  words: z.int().min(0).nullable(),
  text: z.instanceof(Buffer).refine(({ length }) => length % hashBytes === 0),
})
type Row = z.infer<typeof Row>
const columns = 'id, file, at, reason, characters, words, text'

export function createHistoryRepository(
  db: Db,
  chunks: TextChunks,
  random: Random,
  read = createRowReaders(),
) {
  const rows = read('history', Row)
  const insert = db.prepare(
    'INSERT INTO history (id, file, at, reason, size_chars, characters, words, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const byFile = db.prepare<[string]>(`SELECT ${columns} FROM history WHERE file = ? ORDER BY seq DESC`)
  const newest = db.prepare<[string]>(
    `SELECT ${columns} FROM history WHERE file = ? ORDER BY seq DESC LIMIT 1`,
  )
  const byId = db.prepare<[string]>(`SELECT ${columns} FROM history WHERE id = ?`)
  const find = (id: string): Row | undefined => rows.all(byId.iterate(id))[0]
  const files = db.prepare<[string, string], { file: string }>(
    'SELECT DISTINCT file FROM history WHERE file >= ? AND file < ?',
  )
  const setCount = db.prepare('UPDATE history SET characters = ?, words = ? WHERE id = ?')
  const retake = db.prepare('UPDATE history SET at = ?, reason = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM history WHERE id = ?')
  const move = db.prepare('UPDATE history SET file = ? WHERE file = ?')
  const moveUntil = db.prepare('UPDATE history SET file = ? WHERE file = ? AND at <= ?')
  return {
    /** Adds a snapshot; returns the newest one itself where it has the same text. */
    add: ({
      file,
      at,
      reason,
      text,
    }: Omit<StoredSnapshot, 'id' | 'count'> & { text: string }): StoredSnapshot =>
      db.transaction(() => {
        const [last] = rows.all(newest.all(file))
        const hashes = chunks.put(text)
        if (last?.text.equals(hashes)) {
          chunks.release(hashes)
          return snapshotOf(last)
        }
        const count = countOf(text)
        const snapshot = { id: random.id(), file, at, reason, count }
        insert.run(snapshot.id, file, at, reason, text.length, count.characters, count.words, hashes)
        return snapshot
      })(),
    /** Gives a stored snapshot another time and reason, and returns it. */
    retake(snapshot: StoredSnapshot, at: number, reason: HistoryReason): StoredSnapshot {
      retake.run(at, reason, snapshot.id)
      return { ...snapshot, at, reason }
    },
    /** Newest first. */
    list: (file: string): StoredSnapshot[] => rows.all(byFile.iterate(file)).map(snapshotOf),
    /** Returns the count of a snapshot's text, which is counted only once. */
    counted({ id, count }: StoredSnapshot): SnapshotCount {
      const row = count === null ? find(id) : undefined
      if (row === undefined) return count ?? noCount
      try {
        const found = countOf(chunks.get(row.text))
        setCount.run(found.characters, found.words, id)
        return found
      } catch (error) {
        // The list stays usable; opening this snapshot reports the error.
        if (isAppError(error, 'store/unreadable')) return noCount
        throw error
      }
    },
    /** Errors: `store/unreadable`. */
    read(id: string): { snapshot: StoredSnapshot; text: string } | undefined {
      const row = find(id)
      return row === undefined ? undefined : { snapshot: snapshotOf(row), text: chunks.get(row.text) }
    },
    remove: (ids: readonly string[]): void =>
      db.transaction(() => {
        for (const id of ids) {
          const row = find(id)
          if (row === undefined) continue
          remove.run(id)
          chunks.release(row.text)
        }
      })(),
    /** Returns the files whose names begin with `prefix`. */
    filesUnder: (prefix: string): string[] =>
      files.all(prefix, `${prefix}\u{10FFFF}`).map(({ file }) => file),
    /** Moves the history of a file that was renamed. */
    move: (from: string, to: string): void => void move.run(to, from),
    /** Moves the snapshots that were taken up to `at`. */
    moveUntil: (from: string, to: string, at: number): void => void moveUntil.run(to, from, at),
  }
}

function snapshotOf(row: Row): StoredSnapshot {
  const { id, file, at, characters, words } = row
  const count = characters === null || words === null ? null : { characters, words }
  return { id, file, at, count, reason: row.reason }
}

function countOf(text: string): SnapshotCount {
  const { characters, words } = countText(text)
  return { characters, words }
}
