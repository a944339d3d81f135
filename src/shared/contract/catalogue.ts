import { z } from 'zod'
import { CatalogueStatus } from '../domain/model/model-catalogue.ts'
import { call, stream } from './method.ts'

const named = z.object({ modelId: z.string() })

/** Models that can be downloaded. Nothing but `download.start` goes online. */
export const catalogueContract = {
  'catalogue.watch': stream(z.object({}), CatalogueStatus),
  /**
   * Begins a download or goes on with it, because the user said so. One at a time.
   *
   * Errors: `download/busy`; `download/terms` where they are not accepted. What goes wrong later stands in the status.
   */
  'download.start': call(named.extend({ areTermsAccepted: z.boolean() }), z.object({})),
  /** Stops it and keeps what came. */
  'download.pause': call(named, z.object({})),
  /** Stops it and removes what came. */
  'download.cancel': call(named, z.object({})),
  /** Removes the whole file, and the profiles that use it. */
  'download.remove': call(named, z.object({})),
}
