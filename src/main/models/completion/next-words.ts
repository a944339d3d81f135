import type { NextWord } from '../../../shared/domain/drafting/next-words.ts'

/** A token that could come next. Shape: `bytes` are its text in UTF-8, which may end within a character. */
export type TokenChance = { id: number; bytes: readonly number[]; share: number }

/** More are not shown. */
export const mostWords = 10

/**
 * Makes words of tokens: what ends within a character is completed by `complete`, tokens that begin the same word are
 * one, and tokens without text (an end, a marker) are none.
 */
export async function wholeWords(
  chances: readonly TokenChance[],
  complete: (chance: TokenChance) => Promise<string | null>,
): Promise<NextWord[]> {
  const shares = new Map<string, number>()
  for (const chance of chances) {
    const text = wholeText(chance.bytes) ?? (await complete(chance)) ?? ''
    if (text !== '') shares.set(text, (shares.get(text) ?? 0) + chance.share)
  }
  return [...shares]
    .map(([text, share]) => ({ text, share: Math.min(1, share) }))
    .toSorted((a, b) => b.share - a.share)
    .slice(0, mostWords)
}

/** Null where the bytes are no whole characters. */
function wholeText(bytes: readonly number[]): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
  } catch {
    return null
  }
}
