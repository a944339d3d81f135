export type Migration = { version: number; sql: string }

/** All migrations in order. A released one is never edited; a change is a new one. */
export const migrations: readonly Migration[] = [
  // The first tables. Times are milliseconds since the epoch; `value` columns hold JSON of a domain noun.
  {
    version: 1,
    sql: `
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE profiles (id TEXT PRIMARY KEY, position INTEGER NOT NULL, value TEXT NOT NULL);

CREATE TABLE works (
  id TEXT PRIMARY KEY,
  root TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  last_path TEXT,
  is_listed INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE work_state (
  work_id TEXT NOT NULL REFERENCES works (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (work_id, key)
) WITHOUT ROWID;

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  work_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  value TEXT NOT NULL
);
CREATE INDEX runs_by_work ON runs (work_id, started_at);
CREATE INDEX runs_by_state ON runs (state);

CREATE TABLE chunks (hash BLOB PRIMARY KEY, bytes BLOB NOT NULL, refs INTEGER NOT NULL);

CREATE TABLE takes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  work_id TEXT NOT NULL,
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  prompt TEXT NOT NULL,
  rolls TEXT NOT NULL,
  sampler TEXT NOT NULL,
  seed INTEGER NOT NULL
);
CREATE INDEX takes_by_place ON takes (work_id, path, seq);

CREATE TABLE history (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  size_chars INTEGER NOT NULL,
  text BLOB NOT NULL
);
CREATE INDEX history_by_file ON history (file, seq);

CREATE TABLE unsaved_texts (
  file TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  base_hash TEXT,
  text BLOB NOT NULL
);
CREATE TABLE open_documents (file TEXT PRIMARY KEY, opened_at INTEGER NOT NULL, saved_at INTEGER);

CREATE TABLE change_sets (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  root TEXT NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL,
  note TEXT NOT NULL
);
CREATE INDEX change_sets_by_state ON change_sets (state);
CREATE TABLE change_set_files (
  set_id TEXT NOT NULL REFERENCES change_sets (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  path TEXT NOT NULL,
  old_hash TEXT,
  new_hash TEXT,
  mode INTEGER,
  PRIMARY KEY (set_id, position)
) WITHOUT ROWID;
`,
  },
  // Conversations. `session_entries`: what the model was sent, in order, an epoch for each compaction;
  // `session_turns`: the state that a turn began with, to undo the turn.
  {
    version: 2,
    sql: `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  work_id TEXT NOT NULL REFERENCES works (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  is_titled INTEGER NOT NULL,
  language TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  branched_from TEXT,
  turn INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  state TEXT NOT NULL,
  rules TEXT NOT NULL,
  stats TEXT NOT NULL
);
CREATE INDEX sessions_by_work ON sessions (work_id, updated_at);

CREATE TABLE session_items (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  item_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  words TEXT NOT NULL,
  PRIMARY KEY (session_id, item_id)
) WITHOUT ROWID;
CREATE INDEX session_items_by_seq ON session_items (session_id, seq);

CREATE TABLE session_entries (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL,
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (session_id, epoch, position)
) WITHOUT ROWID;

CREATE TABLE session_turns (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (session_id, turn)
) WITHOUT ROWID;
CREATE TABLE session_changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn INTEGER NOT NULL,
  change_set_id TEXT NOT NULL
);
CREATE INDEX session_changes_by_turn ON session_changes (session_id, turn);
`,
  },
  // What the user allowed and refused. Folders are known by their real path.
  {
    version: 3,
    sql: `
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  value TEXT NOT NULL
);
CREATE INDEX audit_by_session ON audit (session_id, seq);

CREATE TABLE consent_rules (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  root TEXT NOT NULL,
  value TEXT NOT NULL
);
CREATE INDEX consent_rules_by_root ON consent_rules (root, seq);

CREATE TABLE folder_trust (
  root TEXT PRIMARY KEY,
  is_trusted INTEGER NOT NULL,
  decided_at INTEGER NOT NULL
) WITHOUT ROWID;
`,
  },
  // Outcomes of suggestions: on this machine only, and never their texts.
  {
    version: 4,
    sql: `
CREATE TABLE suggestions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  value TEXT NOT NULL
);
`,
  },
  // Queued messages, which outlast the host.
  {
    version: 5,
    sql: `ALTER TABLE sessions ADD COLUMN queue TEXT NOT NULL DEFAULT '[]';`,
  },
  // Outcomes of speculations: on this machine only, and never their texts.
  {
    version: 6,
    sql: `
CREATE TABLE speculations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  value TEXT NOT NULL
);
`,
  },
  // Folders that the user added to a session.
  {
    version: 7,
    sql: `ALTER TABLE sessions ADD COLUMN folders TEXT NOT NULL DEFAULT '[]';`,
  },
  // Messages that were written and not sent yet. `about`: empty for the next message.
  {
    version: 8,
    sql: `
CREATE TABLE unsent_messages (
  work_id TEXT NOT NULL REFERENCES works (id) ON DELETE CASCADE,
  session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
  about TEXT NOT NULL,
  segments TEXT NOT NULL,
  at INTEGER NOT NULL
);
CREATE UNIQUE INDEX unsent_messages_by_place ON unsent_messages (work_id, COALESCE(session_id, ''), about);
CREATE INDEX unsent_messages_by_session ON unsent_messages (session_id);
`,
  },
  {
    version: 9,
    sql: 'ALTER TABLE history ADD COLUMN characters INTEGER; ALTER TABLE history ADD COLUMN words INTEGER',
  },
  { version: 10, sql: 'ALTER TABLE change_set_files ADD COLUMN old_mode INTEGER' },
  {
    version: 11,
    sql: `CREATE TABLE change_set_entries (
      set_id TEXT NOT NULL REFERENCES change_sets (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      path TEXT NOT NULL,
      before TEXT,
      after TEXT,
      PRIMARY KEY (set_id, position)
    ) WITHOUT ROWID`,
  },
  // Takes of summaries, which are listed for a whole work.
  {
    version: 12,
    sql: `CREATE INDEX takes_of_summaries ON takes (work_id, path, seq)
      WHERE CASE WHEN json_valid(value) THEN value ->> '$.mode' END = 'summary'`,
  },
]
