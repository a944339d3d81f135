/** The first tables. Times are milliseconds since the epoch; `value` columns hold JSON of a domain noun. */
export const initial = {
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
}
