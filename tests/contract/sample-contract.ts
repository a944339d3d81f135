import { z } from 'zod'
import { call, stream } from '../../src/shared/contract/method.ts'

const Delta = z.object({ seq: z.number(), text: z.string() })
const Flood = z.object({ count: z.number(), text: z.string() })

/** Events of a watch: first a snapshot or the events after `afterSeq`, then new ones. */
export const WatchEvent = z.object({
  type: z.enum(['snapshot', 'added']),
  seq: z.number(),
  text: z.string(),
})
export type WatchEvent = z.infer<typeof WatchEvent>

/** One method for each kind of correct and faulty behaviour of a service. */
export const sampleContract = {
  'sample.echo': call(z.object({ value: z.json(), note: z.string().default('none') }), z.json()),
  'sample.fail': call(z.object({ path: z.string() }), z.null()),
  'sample.bug': call(z.object({}), z.null()),
  'sample.lie': call(z.object({}), z.object({ at: z.string() })),
  'sample.date': call(z.object({}), z.object({ at: z.unknown() })),
  'sample.wait': call(z.object({}), z.null()),
  /** Ignores its signal. */
  'sample.deaf': call(z.object({}), z.null()),
  'sample.count': stream(z.object({ to: z.number().int(), failAt: z.number().optional() }), z.number()),
  'sample.forever': stream(z.object({}), z.number()),
  'sample.flood': stream(Flood, Delta),
  'sample.deltas': stream(Flood, Delta, {
    merge: (older, newer) => ({ seq: newer.seq, text: older.text + newer.text }),
  }),
  'sample.watch': stream(z.object({ afterSeq: z.number().optional() }), WatchEvent, {
    slowReader: 'snapshot',
  }),
}
