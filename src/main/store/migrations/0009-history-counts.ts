/** What a snapshot amounts to, as the window counts texts; null until it is counted. */
export const historyCounts = {
  version: 9,
  sql: `
ALTER TABLE history ADD COLUMN characters INTEGER;
ALTER TABLE history ADD COLUMN words INTEGER;
`,
}
