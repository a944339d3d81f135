/** Outcomes of suggestions: on this machine only, and never their texts. */
export const suggestions = {
  version: 4,
  sql: `
CREATE TABLE suggestions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  value TEXT NOT NULL
);
`,
}
