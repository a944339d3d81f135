/**
 * Conversations. `session_entries`: what the model was sent, in order, an epoch for each compaction;
 * `session_turns`: the state that a turn began with, to undo the turn.
 */
export const sessions = {
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
}
