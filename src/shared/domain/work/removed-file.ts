import { z } from 'zod'

/** A file that the user removed from a work and that can be restored. Units: ms since the epoch. */
export const RemovedFile = z.object({ removedId: z.string(), path: z.string(), at: z.number() })
export type RemovedFile = z.infer<typeof RemovedFile>
