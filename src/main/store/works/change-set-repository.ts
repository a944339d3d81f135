import { z } from 'zod'
import { isAppError } from '../../../shared/errors.ts'
import { commitDurably, type Db } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'

/**
 * State of a change set. `committed`: to be carried out, whatever happens; `done`; `conflict`: done except for
 * files that were neither old nor new; `undone`.
 */
const ChangeSetState = z.enum(['committed', 'done', 'conflict', 'undone'])
export type ChangeSetState = z.infer<typeof ChangeSetState>

/**
 * One file of a change set. Shape: hash null = no such file; `mode` is that of the new file, or of a deleted one.
 * `oldMode` is the former mode of a file that gets other permissions.
 */
const ChangeSetFile = z.object({
  path: z.string(),
  oldHash: z.string().nullable(),
  newHash: z.string().nullable(),
  mode: z.number().nullable(),
  oldMode: z.number().nullable(),
})
export type ChangeSetFile = z.infer<typeof ChangeSetFile>
/** A folder or a symbolic link. Shape: `mode` are permission bits, `target` is the literal target of the link. */
const EntryState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), mode: z.number() }),
  z.object({ kind: z.literal('link'), target: z.string() }),
])
export type EntryState = z.infer<typeof EntryState>
const ChangeSetEntry = z.object({
  path: z.string(),
  before: jsonOf(EntryState).nullable(),
  after: jsonOf(EntryState).nullable(),
})
/** A folder or link of a change set. Null: nothing is there. */
export type ChangeSetEntry = z.infer<typeof ChangeSetEntry>
const SetRow = z.object({
  id: z.string(),
  root: z.string(),
  at: z.number(),
  state: ChangeSetState,
  note: z.string(),
})
export type ChangeSetRecord = z.infer<typeof SetRow> & { files: ChangeSetFile[]; entries: ChangeSetEntry[] }

/** The journal of changes to files. A set of which a part cannot be read is skipped as a whole. */
export type ChangeSetRepository = ReturnType<typeof createChangeSetRepository>

export function createChangeSetRepository(db: Db, read = createRowReaders()) {
  const sets = read('change_sets', SetRow)
  const files = read('change_set_files', ChangeSetFile)
  const changed = read('change_set_entries', ChangeSetEntry)
  const insertSet = db.prepare('INSERT INTO change_sets (id, root, at, state, note) VALUES (?, ?, ?, ?, ?)')
  const insertFile = db.prepare(
    `INSERT INTO change_set_files (set_id, position, path, old_hash, new_hash, mode, old_mode)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertEntry = db.prepare(
    'INSERT INTO change_set_entries (set_id, position, path, before, after) VALUES (?, ?, ?, ?, ?)',
  )
  const setState = db.prepare('UPDATE change_sets SET state = ? WHERE id = ?')
  const byId = db.prepare<[string]>('SELECT id, root, at, state, note FROM change_sets WHERE id = ?')
  const byState = db.prepare<[string]>(
    'SELECT id, root, at, state, note FROM change_sets WHERE state = ? ORDER BY seq',
  )
  const sinceId = db.prepare<[string]>(
    `SELECT later.id, later.root, later.at, later.state, later.note
     FROM change_sets first JOIN change_sets later ON later.root = first.root AND later.seq >= first.seq
     WHERE first.id = ? ORDER BY later.seq`,
  )
  const byNote = db.prepare<[string, string]>(
    'SELECT id, root, at, state, note FROM change_sets WHERE root = ? AND note = ? ORDER BY seq',
  )
  const filesOf = db.prepare<[string]>(
    `SELECT set_id, path, old_hash AS oldHash, new_hash AS newHash, mode, old_mode AS oldMode
     FROM change_set_files WHERE set_id = ? ORDER BY position`,
  )
  const entriesOf = db.prepare<[string]>(
    'SELECT set_id, path, before, after FROM change_set_entries WHERE set_id = ? ORDER BY position',
  )
  const prune = db.prepare(`DELETE FROM change_sets WHERE at < ? AND state <> 'committed'`)
  const hashes = db.prepare<[], { hash: string | null }>(
    `SELECT old_hash AS hash FROM change_set_files UNION SELECT new_hash FROM change_set_files`,
  )
  const withFiles = (row: unknown): ChangeSetRecord => {
    const set = sets.need(row)
    const entries = entriesOf.all(set.id).map(changed.need)
    return { ...set, files: filesOf.all(set.id).map(files.need), entries }
  }
  const readable = (row: unknown): ChangeSetRecord[] => {
    try {
      return [withFiles(row)]
    } catch (error) {
      if (isAppError(error, 'store/unreadable')) return []
      throw error
    }
  }
  return {
    /** Commits a change set, synced to the disk when this returns. `alsoWrite` adds rows to the same transaction. */
    commit(record: ChangeSetRecord, alsoWrite?: (id: string) => void): void {
      commitDurably(db, () => {
        insertSet.run(record.id, record.root, record.at, record.state, record.note)
        for (const [position, file] of record.files.entries()) {
          const { path, oldHash, newHash, mode, oldMode } = file
          insertFile.run(record.id, position, path, oldHash, newHash, mode, oldMode)
        }
        for (const [position, { path, before, after }] of record.entries.entries())
          insertEntry.run(record.id, position, path, textOf(before), textOf(after))
        alsoWrite?.(record.id)
      })
    },
    /** With `alsoWrite` as `commit`. */
    setState(id: string, state: ChangeSetState, alsoWrite?: () => void): void {
      if (alsoWrite === undefined) setState.run(state, id)
      else
        commitDurably(db, () => {
          setState.run(state, id)
          alsoWrite()
        })
    },
    get: (id: string): ChangeSetRecord | undefined => byId.all(id).flatMap(readable)[0],
    /**
     * Returns the change set and all later ones of its folder, in the order in which they were committed.
     *
     * Errors: `store/unreadable`: what a set among them did is not known.
     */
    from: (id: string): ChangeSetRecord[] => sinceId.all(id).map(withFiles),
    /** Returns those of a folder with this note, in the order in which they were committed. */
    noted: (root: string, note: string): ChangeSetRecord[] => byNote.all(root, note).flatMap(readable),
    /** Returns those in a state, in the order in which they were committed. */
    inState: (state: ChangeSetState): ChangeSetRecord[] => byState.all(state).flatMap(readable),
    /** Forgets finished ones older than `before`; returns the hashes that are still needed. */
    prune(before: number): Set<string> {
      prune.run(before)
      return new Set(hashes.all().flatMap((row) => (row.hash === null ? [] : [row.hash])))
    },
  }
}

function textOf(state: EntryState | null): string | null {
  return state === null ? null : JSON.stringify(state)
}
