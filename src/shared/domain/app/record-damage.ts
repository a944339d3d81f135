import { z } from 'zod'

/** A copy of the database that can be restored. Units: `at` is Unix time in ms. */
export const RecordBackup = z.object({ name: z.string(), at: z.number(), sizeBytes: z.number() })
export type RecordBackup = z.infer<typeof RecordBackup>

/** The host runs without its database, which is damaged, until one of its backups is restored. */
export const RecordDamage = z.object({
  path: z.string(),
  reason: z.string(),
  /** Newest first, at least one: without any the host does not start. */
  backups: z.array(RecordBackup),
})
export type RecordDamage = z.infer<typeof RecordDamage>
