import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'

/**
 * Why an entry cannot be used as it is written. `key`: the expression that failed. Of front matter: `line` is the line
 * of the file, from 1, null where none is known; `fields` are the settings whose values cannot be read, the others
 * hold; empty: nothing of it can be read.
 */
export const LoreProblem = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('front-matter'),
    reason: z.string(),
    line: z.int().positive().nullable(),
    fields: z.array(z.string()),
  }),
  z.object({ kind: z.literal('bad-pattern'), key: z.string() }),
  z.object({ kind: z.literal('slow-pattern'), key: z.string() }),
])
export type LoreProblem = z.infer<typeof LoreProblem>

/** Returns whether the settings of the entry cannot be read: it is switched off until they are corrected. */
export function isOfFrontMatter({ kind }: LoreProblem): boolean {
  return kind === 'front-matter'
}

/** Units: chapters, the work's manuscripts in order, from 1; null: open end. Shape: both ends are included. */
export const ChapterRange = z.object({
  from: z.int().positive().nullable(),
  to: z.int().positive().nullable(),
})
export type ChapterRange = z.infer<typeof ChapterRange>

const keyList = z.array(z.string().min(1).max(1_000)).max(1_000)

/**
 * The settings of a lore entry, as its file's front matter has them. A file is an entry where it has `keys` or `always`.
 *
 * `keys`: one of these must appear, as literal text or `/expression/`; `also`: all of these too; `never`: none of these.
 */
export const LoreSettings = z.object({
  keys: keyList.default([]),
  also: keyList.default([]),
  never: keyList.default([]),
  always: z.boolean().default(false),
  priority: z.int().min(0).max(100).default(50),
  enabled: z.boolean().default(true),
  range: ChapterRange.nullable().default(null),
})
export type LoreSettings = z.infer<typeof LoreSettings>

/**
 * A material that prompts quote where its keys appear. Shape: `path` identifies it within the work; `textFrom` is where
 * `text` begins in the file, UTF-16.
 */
export const LoreEntry = LoreSettings.extend({
  path: z.string(),
  name: z.string(),
  text: z.string(),
  textFrom: z.int().nonnegative(),
  problems: z.array(LoreProblem),
})
export type LoreEntry = z.infer<typeof LoreEntry>

/** An entry without its text, as lists of entries have it. */
export const LoreHead = LoreEntry.omit({ text: true, textFrom: true })
export type LoreHead = z.infer<typeof LoreHead>

/** A material that is not an entry yet, with possible keys: its name and its headings. */
export const LoreCandidate = z.object({ path: z.string(), keys: z.array(z.string()) })
export type LoreCandidate = z.infer<typeof LoreCandidate>

/** A material that cannot be read, so that it is not known whether it is an entry. */
export const UnreadLore = z.object({ path: z.string(), error: ErrorInfo })
export type UnreadLore = z.infer<typeof UnreadLore>

/**
 * Why an entry is in a prompt. `match`: `key` appears in `sentence`, in the text, in the author's note or in another
 * `entry` that holds; `at` is its place in a manuscript or in the file of that entry, UTF-16; null where it is in the note
 * or could not be found. Matched on an earlier page: `sticky` stays until
 * the anchor moves; `remembered`, in modes without an anchor, until it matched on none of the last pages.
 */
export const LoreReason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('always') }),
  z.object({ kind: z.literal('sticky') }),
  z.object({ kind: z.literal('remembered') }),
  z.object({
    kind: z.literal('match'),
    key: z.string(),
    sentence: z.string(),
    foundIn: z.enum(['text', 'note', 'entry']),
    at: z.object({ path: z.string(), from: z.number(), to: z.number() }).nullable(),
  }),
])
export type LoreReason = z.infer<typeof LoreReason>

/** `standing`: behind the fields; `recent`: near the end; `left-out`: the budget has no room for it. Units: tokens. */
export const LoreUse = z.object({
  path: z.string(),
  name: z.string(),
  place: z.enum(['standing', 'recent', 'left-out']),
  reason: LoreReason,
  tokens: z.number(),
})
export type LoreUse = z.infer<typeof LoreUse>

/** All lore of a prompt. Units: tokens. */
export const LoreReport = z.object({
  uses: z.array(LoreUse),
  usedTokens: z.number(),
  budgetTokens: z.number(),
  /** The problems of all entries of the work, used or not. */
  problems: z.array(z.object({ path: z.string(), problem: LoreProblem })),
  /** Materials that could not be read, and are left out. */
  unread: z.array(UnreadLore),
})
export type LoreReport = z.infer<typeof LoreReport>

/** A summary as it was told to the model. Shape: `path` is null for one of several chapters; `chapters`: those that it summarises. */
export const ToldSummary = z.object({
  path: z.string().nullable(),
  file: z.string(),
  chapters: z.array(z.string()),
  text: z.string(),
})
export type ToldSummary = z.infer<typeof ToldSummary>

/**
 * The lore that the prompts of a work keep from page to page. Shape: ids are paths; `recent` in order of arrival;
 * `pages` lists the matches of each of the last accepted takes, newest last; `sent`: those of a take to be accepted;
 * `told`: the summaries of the last page, absent where the next page is to be told the present ones; `recentTokens` limits
 * `recent` until the anchor moves, null: only the budget does.
 */
export const LoreState = z.object({
  told: z.array(ToldSummary).optional(),
  standing: z.array(z.string()),
  recent: z.array(z.string()),
  pages: z.array(z.array(z.string())),
  sent: z.object({ takeId: z.string(), matched: z.array(z.string()) }).nullable(),
  recentTokens: z.number().nullable().default(null),
})
export type LoreState = z.infer<typeof LoreState>
