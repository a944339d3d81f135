import { sharedLength } from '../../../../src/shared/text/difference/text-similarity.ts'

/**
 * Number of tokens of a prompt that KoboldCpp with context shift does not read again: their shared beginning, and
 * behind it one part of the cache that the prompt goes on with, where that is long enough. What is inserted before that
 * part, or changed within it, has everything behind it read again.
 *
 * The longest common run must begin there; here that run alone is looked for, since one of this length leaves hardly
 * room for a longer one elsewhere.
 * Source: KoboldCpp, `gpttype_adapter.cpp`, `PurgeMissingTokens`.
 */
export function shiftedLength(
  tokens: readonly string[],
  cache: readonly string[],
  { contextTokens, outputTokens }: { contextTokens: number; outputTokens: number },
): number {
  const shortfall = 200 + Math.min(Math.floor(contextTokens / 30), 140)
  const slack = 60 + Math.min(Math.floor(contextTokens / 60), 70)
  const shared = sharedLength(tokens, cache)
  const rest = tokens.length - shared
  if (rest < shortfall) return shared
  const least = Math.max(
    Math.min(rest - (outputTokens + slack), Math.floor(contextTokens * 0.45)),
    shortfall - slack,
  )
  let longest = 0
  for (let from = shared + 1; from + longest < cache.length; from += 1) {
    let length = 0
    while (length < rest && cache[from + length] === tokens[shared + length]) length += 1
    longest = Math.max(longest, length)
  }
  return longest > least ? shared + longest : shared
}
