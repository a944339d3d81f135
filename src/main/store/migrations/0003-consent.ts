/** What the user allowed and refused. Folders are known by their real path. */
export const consent = {
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
}
