import { z } from 'zod'
import { ReferenceCandidate } from '../domain/session/file-reference.ts'
import { call } from './method.ts'

const InWork = z.object({ workId: z.string() })

export const referenceContract = {
  /**
   * Files and folders for what stands behind an `@`, best first: how well the path fits, then names that begin
   * so, then what was used last or is open, then the shorter.
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
  /** The window is looked at again: what is offered is read anew. */
  'reference.refresh': call(InWork, z.object({})),
}
