/** Messages that were written and not sent yet. `about`: empty for the next message. */
export const unsentMessages = {
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
}
