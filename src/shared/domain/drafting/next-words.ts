import { z } from 'zod'

/** A word that may come next. Units: `share` is a probability, 0 … 1, among all possible words. */
export const NextWord = z.object({ text: z.string().min(1), share: z.number().min(0).max(1) })
export type NextWord = z.infer<typeof NextWord>

/**
 * The likeliest words at a place of a take. `at`: where they begin, UTF-16 units of its text; spaces before a word
 * belong to it. `limit`: how many words the backend reports; `untold` of these came without a text: part of a character,
 * or the end. Units: tokens; null where the backend does not count.
 */
export const NextWords = z.object({
  at: z.int().nonnegative(),
  words: z.array(NextWord),
  limit: z.int().positive(),
  untold: z.int().nonnegative(),
  promptTokens: z.int().nullable(),
  reusedTokens: z.int().nullable(),
})
export type NextWords = z.infer<typeof NextWords>

/** A take that goes on from part of another one: its text up to `at`, then `word`. Units: UTF-16. */
export const TakeBranch = z.object({
  takeId: z.string(),
  at: z.int().nonnegative(),
  word: z.string().min(1).max(200),
})
export type TakeBranch = z.infer<typeof TakeBranch>
