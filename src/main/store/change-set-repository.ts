import { commitDurably, type Db } from './database.ts'

/**
 * How far a change set is. `committed`: to be carried out, whatever happens; `done`; `conflict`: done but for
 * files that were neither old nor new; `undone`.
 */
export type ChangeSetState = 'committed' | 'done' | 'conflict' | 'undone'

/**
 * One file of a change set. Shape: hash null = no such file; `mode` is what the new file gets, or what a deleted one
 * had. `oldMode` is what a file had that is given other permissions.
 */
export type ChangeSetFile = {
  path: string
  oldHash: string | null
  newHash: string | null
  mode: number | null
  oldMode: number | null
}
/** A folder or a symbolic link. Shape: `mode` are permission bits, `target` is what the link says. */
export type EntryState = { kind: 'folder'; mode: number } | { kind: 'link'; target: string }
/** A folder or link of a change set. Null: nothing is there. */
export type ChangeSetEntry = { path: string; before: EntryState | null; after: EntryState | null }
export type ChangeSetRecord = {
  id: string
  root: string
  at: number
  state: ChangeSetState
  note: string
  files: ChangeSetFile[]
  entries: ChangeSetEntry[]
}

/** The journal of changes to files. */
export type ChangeSetRepository = {
  /** The commit point: synced to the disk when it returns. `alsoWrite` adds rows to the same transaction. */
  commit(record: ChangeSetRecord, alsoWrite?: (id: string) => void): void
  /** With `alsoWrite` as `commit`. */
  setState(id: string, state: ChangeSetState, alsoWrite?: () => void): void
  get(id: string): ChangeSetRecord | undefined
  /** The change set and all later ones of its folder, in the order in which they were committed. */
  from(id: string): ChangeSetRecord[]
  /** Those of a folder with this note, in the order in which they were committed. */
  noted(root: string, note: string): ChangeSetRecord[]
  /** In the order in which they were committed. */
  inState(state: ChangeSetState): ChangeSetRecord[]
  /** Forgets finished ones older than `before`; returns the hashes that are still needed. */
  prune(before: number): Set<string>
}

type SetRow = Omit<ChangeSetRecord, 'files' | 'entries'>
type EntryRow = { path: string; before: string | null; after: string | null }

export function createChangeSetRepository(db: Db): ChangeSetRepository {
  const insertSet = db.prepare('INSERT INTO change_sets (id, root, at, state, note) VALUES (?, ?, ?, ?, ?)')
  const insertFile = db.prepare(
    `INSERT INTO change_set_files (set_id, position, path, old_hash, new_hash, mode, old_mode)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertEntry = db.prepare(
    'INSERT INTO change_set_entries (set_id, position, path, before, after) VALUES (?, ?, ?, ?, ?)',
  )
  const setState = db.prepare('UPDATE change_sets SET state = ? WHERE id = ?')
  const byId = db.prepare<[string], SetRow>('SELECT id, root, at, state, note FROM change_sets WHERE id = ?')
  const byState = db.prepare<[string], SetRow>(
    'SELECT id, root, at, state, note FROM change_sets WHERE state = ? ORDER BY seq',
  )
  const sinceId = db.prepare<[string], SetRow>(
    `SELECT later.id, later.root, later.at, later.state, later.note
     FROM change_sets first JOIN change_sets later ON later.root = first.root AND later.seq >= first.seq
     WHERE first.id = ? ORDER BY later.seq`,
  )
  const byNote = db.prepare<[string, string], SetRow>(
    'SELECT id, root, at, state, note FROM change_sets WHERE root = ? AND note = ? ORDER BY seq',
  )
  const filesOf = db.prepare<[string], ChangeSetFile>(
    `SELECT path, old_hash AS oldHash, new_hash AS newHash, mode, old_mode AS oldMode
     FROM change_set_files WHERE set_id = ? ORDER BY position`,
  )
  const entriesOf = db.prepare<[string], EntryRow>(
    'SELECT path, before, after FROM change_set_entries WHERE set_id = ? ORDER BY position',
  )
  const prune = db.prepare(`DELETE FROM change_sets WHERE at < ? AND state <> 'committed'`)
  const hashes = db.prepare<[], { hash: string | null }>(
    `SELECT old_hash AS hash FROM change_set_files UNION SELECT new_hash FROM change_set_files`,
  )
  const withFiles = (row: SetRow): ChangeSetRecord => ({
    ...row,
    files: filesOf.all(row.id),
    entries: entriesOf
      .all(row.id)
      .map(({ path, before, after }) => ({ path, before: stateOf(before), after: stateOf(after) })),
  })
  return {
    commit(record, alsoWrite) {
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
    setState(id, state, alsoWrite) {
      if (alsoWrite === undefined) setState.run(state, id)
      else
        commitDurably(db, () => {
          setState.run(state, id)
          alsoWrite()
        })
    },
    get(id) {
      const row = byId.get(id)
      return row === undefined ? undefined : withFiles(row)
    },
    from: (id) => sinceId.all(id).map(withFiles),
    noted: (root, note) => byNote.all(root, note).map(withFiles),
    inState: (state) => byState.all(state).map(withFiles),
    prune(before) {
      prune.run(before)
      return new Set(hashes.all().flatMap((row) => (row.hash === null ? [] : [row.hash])))
    },
  }
}

function textOf(state: EntryState | null): string | null {
  return state === null ? null : JSON.stringify(state)
}

/** Needs no check: only this repository writes the column. */
function stateOf(text: string | null): EntryState | null {
  return text === null ? null : (JSON.parse(text) as EntryState)
}
