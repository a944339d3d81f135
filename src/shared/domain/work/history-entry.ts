import { z } from 'zod'

/** Why a snapshot was taken. All but `manual` are taken by themselves. */
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
 * Units: `at` in milliseconds since the epoch; `sizeChars` in UTF-16 code units with LF line ends.
 * Shape: `path` is relative to the work, separated by `/`.
 */
export const HistoryEntry = z.object({
  id: z.string(),
  path: z.string(),
  at: z.number(),
  reason: HistoryReason,
  sizeChars: z.number().int().nonnegative(),
})
export type HistoryEntry = z.infer<typeof HistoryEntry>
