import { z } from 'zod'
import { ReferenceCandidate } from '../domain/session/file-reference.ts'
import { call } from './method.ts'

const InWork = z.object({ workId: z.string() })

export const referenceContract = {
  /**
   * Returns files and folders for the text after an `@`, best first: how well the path fits, then names that begin
   * with it, then those used last or open, then the shorter.
   *
   * Shape: `openPaths` of the window's tabs, last used first. `isComplete` false: the folder is still being read.
   */
  'reference.complete': call(
    InWork.extend({
      query: z.string().max(500),
      limit: z.int().min(1).max(100).default(20),
      openPaths: z.array(z.string()).max(200).default([]),
    }),
    z.object({ candidates: z.array(ReferenceCandidate), isComplete: z.boolean() }),
  ),
  /** Refreshes the candidates; called when the window gets the focus again. */
  'reference.refresh': call(InWork, z.object({})),
}
