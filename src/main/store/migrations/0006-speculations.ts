/** Outcomes of speculations: on this machine only, and never their texts. */
export const speculations = {
  version: 6,
  sql: `
CREATE TABLE speculations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  value TEXT NOT NULL
);
`,
}
