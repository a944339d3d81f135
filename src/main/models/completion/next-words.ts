import type { NextWord } from '../../../shared/domain/drafting/next-words.ts'

/** A token that could come next. Shape: `bytes` are its text in UTF-8, which may end within a character. */
export type TokenChance = { id: number; bytes: readonly number[]; share: number }

/** Maximum number of words that are shown. */
export const mostWords = 10

/**
 * Turns tokens into words: a token that ends within a character is completed by `complete`, tokens with the same text
 * are added up, and tokens without text (an end, a marker) are left out.
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

/** Decodes bytes; null where they are not whole characters. */
function wholeText(bytes: readonly number[]): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
  } catch {
    return null
  }
}
