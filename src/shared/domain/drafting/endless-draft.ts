import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { DraftMode } from './draft-details.ts'

/**
 * Why endless generation ended. `stopped`: by the author. `failed`: with `error`. `empty`: the model wrote nothing.
 * `headings`: it wrote only headings of its prompt. `limit`: enough takes of one place were made. `complete`: as many as were asked for.
 */
export const EndlessEnd = z.enum(['stopped', 'failed', 'empty', 'headings', 'limit', 'complete'])
export type EndlessEnd = z.infer<typeof EndlessEnd>

/**
 * Several takes of a work's place: one block after another, up to the number that was asked for, or, without a number,
 * until the author stops it.
 *
 * Shape: `block` counts from 1 at each place; `runId` is the run that was begun last, `together` are all that write
 * where the model serves several requests at a time. `end` is null until it ends.
 */
export const EndlessDraft = z.object({
  path: z.string(),
  mode: DraftMode,
  block: z.int().min(1),
  /** How many takes were asked for; absent: without end. */
  total: z.int().optional(),
  runId: z.string(),
  together: z.array(z.string()).optional(),
  placeId: z.string(),
  end: EndlessEnd.nullable(),
  error: ErrorInfo.nullable(),
})
export type EndlessDraft = z.infer<typeof EndlessDraft>

/** The most takes that are made of one place. */
export const mostBlocks = 100
