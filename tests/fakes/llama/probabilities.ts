import type { Vocabulary } from './vocabulary.ts'

/** What `n_probs` and `logprobs` tell of tokens that were sure: the token first, then as many others as asked. */
export function probabilitiesOf(vocabulary: Vocabulary, tokens: readonly number[], count: number): unknown[] {
  const entry = (id: number, logprob: number) => {
    const bytes = [...(vocabulary.bytesOf(id) ?? [])]
    return { id, token: Buffer.from(bytes).toString('utf8'), bytes, logprob }
  }
  return tokens.map((id) => ({
    ...entry(id, -0.25),
    top_logprobs: Array.from({ length: count }, (_, rank) =>
      entry((id + rank * 7) % vocabulary.size, -0.25 - rank * 2),
    ),
  }))
}
