/** Queued messages, which outlast the host. */
export const sessionQueue = {
  version: 5,
  sql: `
ALTER TABLE sessions ADD COLUMN queue TEXT NOT NULL DEFAULT '[]';
`,
}
