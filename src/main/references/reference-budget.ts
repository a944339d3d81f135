import { headOf, sizeOf } from '../tools/defining/result-text.ts'

/** Shares of the context that one file and all files of a message may fill. Source: `docs/decisions/references.md`. */
const shareOfOne = 0.25
const shareOfAll = 0.5
/** Maximum number of cuts: one that is still too long is followed by a shorter one. */
const tries = 6
/** Factor by which a cut is shorter than the proportion, since a beginning may have more tokens than the rest. */
const caution = 0.95

export type BudgetInput = {
  /** Null: unknown; only `limitBytes` applies. */
  contextTokens: number | null
  count(text: string): Promise<number>
  /** Units: bytes of UTF-8 of one file's text. */
  limitBytes: number
}

export type ReferenceBudget = ReturnType<typeof createReferenceBudget>

/** Divides the room of one message between its files, first come, first served. */
export function createReferenceBudget({ contextTokens, limitBytes, count }: BudgetInput) {
  /** Tokens of each text so far, null where they were not counted yet. */
  const used: { text: string; bytes: number; tokens: number | null }[] = []

  /** Returns the share of the text for which there is room; 1 and more: for all of it. */
  async function measure(text: string): Promise<{ share: number; tokens: number | null }> {
    if (contextTokens === null) return { share: 1, tokens: null }
    const one = contextTokens * shareOfOne
    const all = contextTokens * shareOfAll
    // No tokenizer makes more tokens than there are bytes: a text whose bytes fit need not be counted.
    const most = used.reduce((sum, earlier) => sum + (earlier.tokens ?? earlier.bytes), 0)
    const bytes = sizeOf(text)
    if (bytes <= one && most + bytes <= all) return { share: 1, tokens: null }
    let usedTokens = 0
    for (const earlier of used) {
      earlier.tokens ??= await count(earlier.text)
      usedTokens += earlier.tokens
    }
    const tokens = await count(text)
    return { share: Math.max(0, Math.min(one, all - usedTokens)) / tokens, tokens }
  }

  return {
    /** Returns `head`, then as much of `body` (`shown`) as there is room for; `note` follows a cut body. */
    async fit(head: string, body: string, note: string) {
      let shown = headOf(body, limitBytes)
      for (let left = tries; left > 0 && shown !== ''; left--) {
        const text = shown === body ? `${head}\n${body}` : `${head}\n${shown}\n${note}`
        const { share, tokens } = await measure(text)
        if (share >= 1) {
          used.push({ text, tokens, bytes: sizeOf(text) })
          return { text, shown, isCut: shown !== body }
        }
        shown = headOf(shown, Math.floor(sizeOf(shown) * share * caution))
      }
      const text = body === '' ? `${head}\n` : `${head}\n${note}`
      used.push({ text, tokens: null, bytes: sizeOf(text) })
      return { text, shown: '', isCut: body !== '' }
    },
  }
}
