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

/** A text that fits. Shape: `shown` is how much of the body is in it. */
export type FittedText = { text: string; shown: string; isCut: boolean }

/** Divides the room of one message between its files, first come, first served. */
export class ReferenceBudget {
  readonly #input: BudgetInput
  /** Tokens of each text so far, null where they were not counted yet. */
  readonly #used: { text: string; bytes: number; tokens: number | null }[] = []

  constructor(input: BudgetInput) {
    this.#input = input
  }

  /** Returns `head`, then as much of `body` as there is room for; `note` follows a cut body. */
  async fit(head: string, body: string, note: string): Promise<FittedText> {
    let shown = headOf(body, this.#input.limitBytes)
    for (let left = tries; left > 0 && shown !== ''; left--) {
      const text = textOf(head, body, shown, note)
      const { share, tokens } = await this.#measure(text)
      if (share >= 1) return this.#keep({ text, tokens }, shown, shown !== body)
      shown = headOf(shown, Math.floor(sizeOf(shown) * share * caution))
    }
    const text = body === '' ? `${head}\n` : `${head}\n${note}`
    return this.#keep({ text, tokens: null }, '', body !== '')
  }

  #keep(used: { text: string; tokens: number | null }, shown: string, isCut: boolean): FittedText {
    this.#used.push({ ...used, bytes: sizeOf(used.text) })
    return { text: used.text, shown, isCut }
  }

  /** Returns the share of the text for which there is room; 1 and more: for all of it. */
  async #measure(text: string): Promise<{ share: number; tokens: number | null }> {
    const { contextTokens } = this.#input
    if (contextTokens === null) return { share: 1, tokens: null }
    const one = contextTokens * shareOfOne
    const all = contextTokens * shareOfAll
    // No tokenizer makes more tokens than there are bytes: a text whose bytes fit need not be counted.
    const most = this.#used.reduce((sum, used) => sum + (used.tokens ?? used.bytes), 0)
    const bytes = sizeOf(text)
    if (bytes <= one && most + bytes <= all) return { share: 1, tokens: null }
    let used = 0
    for (const earlier of this.#used) {
      earlier.tokens ??= await this.#input.count(earlier.text)
      used += earlier.tokens
    }
    const tokens = await this.#input.count(text)
    return { share: Math.max(0, Math.min(one, all - used)) / tokens, tokens }
  }
}

function textOf(head: string, body: string, shown: string, note: string): string {
  return shown === body ? `${head}\n${body}` : `${head}\n${shown}\n${note}`
}
