/** Folders that the user added to a session. */
export const sessionFolders = {
  version: 7,
  sql: `
ALTER TABLE sessions ADD COLUMN folders TEXT NOT NULL DEFAULT '[]';
`,
}
