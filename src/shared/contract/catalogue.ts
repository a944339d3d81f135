import { z } from 'zod'
import { CatalogueStatus } from '../domain/model/model-catalogue.ts'
import { call, stream } from './method.ts'

const named = z.object({ modelId: z.string() })

/** Models that can be downloaded. Nothing but `download.start` goes online. */
export const catalogueContract = {
  'catalogue.watch': stream(z.object({}), CatalogueStatus),
  /**
   * Begins a download or resumes it, at the user's request. One at a time.
   *
   * Errors: `download/busy`; `download/terms` where the terms are not accepted. Later failures are in the status.
   */
  'download.start': call(named.extend({ areTermsAccepted: z.boolean() }), z.object({})),
  /** Stops a download and keeps the bytes that arrived. */
  'download.pause': call(named, z.object({})),
  /** Stops a download and removes the bytes that arrived. */
  'download.cancel': call(named, z.object({})),
  /** Removes the whole file, and the profiles that use it. */
  'download.remove': call(named, z.object({})),
}
