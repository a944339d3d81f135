import type { Vocabulary } from '../vocabulary.ts'

/** What `n_probs` and `logprobs` tell of tokens that were sure: the token first, then as many others as asked. */
export function probabilitiesOf(
  vocabulary: Vocabulary,
  tokens: readonly number[],
  count: number,
  isPostSampling = false,
): unknown[] {
  const entry = (id: number, rank: number) => {
    const bytes = [...(vocabulary.bytesOf(id) ?? [])]
    const token = { id, token: Buffer.from(bytes).toString('utf8'), bytes }
    return isPostSampling ? { ...token, prob: rank === 0 ? 1 : 0 } : { ...token, logprob: -0.25 - rank * 2 }
  }
  return tokens.map((id) => {
    const top = Array.from({ length: count }, (_, rank) => entry((id + rank * 7) % vocabulary.size, rank))
    return isPostSampling
      ? { ...entry(id, 0), top_probs: top.slice(0, 1) }
      : { ...entry(id, 0), top_logprobs: top }
  })
}
