import { z } from 'zod'

/** A place of a manuscript where a key appears. Units: UTF-16 positions; lines count from 1. */
export const MentionPlace = z.object({
  from: z.int(),
  to: z.int(),
  line: z.int(),
  before: z.string(),
  match: z.string(),
  after: z.string(),
})
export type MentionPlace = z.infer<typeof MentionPlace>

/** Where keys appear in a work. Shape: every chapter that could be read, in order; `chars` is its length. */
export const Mentions = z.object({
  chapters: z.array(z.object({ path: z.string(), chars: z.int(), places: z.array(MentionPlace) })),
  total: z.int(),
  isTruncated: z.boolean(),
  unread: z.array(z.string()),
  /** Expressions that cannot be read or take too long. */
  failedKeys: z.array(z.string()),
})
export type Mentions = z.infer<typeof Mentions>
