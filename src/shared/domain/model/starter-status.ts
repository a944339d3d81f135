import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'

/** A small model that the app can fetch for a machine that has none. */
export const StarterModel = z.object({
  starterId: z.string(),
  name: z.string(),
  sizeBytes: z.number(),
  languages: z.array(z.enum(['ja', 'en'])),
  licence: z.string(),
  /** Key of the terms in `resources/terms`, where they must be accepted first. */
  termsId: z.string().nullable(),
})
export type StarterModel = z.infer<typeof StarterModel>

export const StarterStatus = z.object({
  models: z.array(StarterModel),
  state: z.enum(['idle', 'offered', 'preparing', 'fetching', 'checking', 'ready', 'failed', 'cancelled']),
  starterId: z.string().nullable(),
  receivedBytes: z.number(),
  totalBytes: z.number(),
  error: ErrorInfo.nullable(),
})
export type StarterStatus = z.infer<typeof StarterStatus>
