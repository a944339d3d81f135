import { z } from 'zod'

/**
 * The sample with its continuation, for the welcome page.
 *
 * Shape: first `page`, the end of the sample's last chapter; then the continuation in pieces, as `text`.
 */
export const SamplePageEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('page'), title: z.string(), text: z.string() }),
  z.object({ type: z.literal('text'), text: z.string() }),
])
export type SamplePageEvent = z.infer<typeof SamplePageEvent>
