import { z } from 'zod'
import { UnreadLore } from './lore.ts'

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

/** The places where keys appear in a work. Shape: every chapter that could be read, in order; `chars` is its length. */
export const Mentions = z.object({
  chapters: z.array(z.object({ path: z.string(), chars: z.int(), places: z.array(MentionPlace) })),
  total: z.int(),
  isTruncated: z.boolean(),
  unread: z.array(z.string()),
  /** Expressions that cannot be read or take too long. */
  failedKeys: z.array(z.string()),
})
export type Mentions = z.infer<typeof Mentions>

/** A passage of a chapter that contradicts an entry. Shape: both quotations stand literally in their files. */
export const Contradiction = z.object({
  entry: z.string(),
  name: z.string(),
  inText: MentionPlace,
  inEntry: MentionPlace,
  reason: z.string(),
})
export type Contradiction = z.infer<typeof Contradiction>

/** Steps of checking a chapter against the entries that it mentions; a pair is a passage and an entry. */
export const CheckEvent = z.discriminatedUnion('type', [
  /**
   * `failedKeys`: expressions that cannot be read or take too long; `off`: entries that are left out because their
   * settings cannot be read; `unread`: materials that cannot be read.
   */
  z.object({
    type: z.literal('begun'),
    entries: z.int(),
    pairs: z.int(),
    failedKeys: z.array(z.string()),
    off: z.array(z.string()),
    unread: z.array(UnreadLore),
  }),
  z.object({ type: z.literal('pair'), pair: z.int().nonnegative(), name: z.string() }),
  z.object({ type: z.literal('contradiction'), contradiction: Contradiction }),
  /** The model claimed a contradiction, but its quotations are not in both texts. */
  z.object({ type: z.literal('unproven') }),
  /** The model's answer could not be read as a judgement. */
  z.object({ type: z.literal('unreadable') }),
])
export type CheckEvent = z.infer<typeof CheckEvent>
