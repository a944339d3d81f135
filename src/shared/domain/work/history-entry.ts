import { z } from 'zod'

/** Why a snapshot was taken. All but `manual` are taken automatically. */
export const HistoryReason = z.enum([
  'open',
  'interval',
  'large-deletion',
  'take',
  'agent',
  'reload',
  'restore',
  'delete',
  'replace',
  'manual',
])
export type HistoryReason = z.infer<typeof HistoryReason>

/**
 * One snapshot of a file in its local history.
 *
 * Units: `at` in milliseconds since the epoch; `characters` and `words` as everywhere in the window (`countText`).
 * Shape: `path` is relative to the work, separated by `/`.
 */
export const HistoryEntry = z.object({
  id: z.string(),
  path: z.string(),
  at: z.number(),
  reason: HistoryReason,
  characters: z.number().int().nonnegative(),
  words: z.number().int().nonnegative(),
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** A file that the user removed from a work and that can be restored. Units: ms since the epoch. */
export const RemovedFile = z.object({ removedId: z.string(), path: z.string(), at: z.number() })
export type RemovedFile = z.infer<typeof RemovedFile>
