import { headOf, sizeOf } from '../tools/result-text.ts'

/** What a message's files may fill. Source: `../shared/spec/4-file-refs.md`. */
const shareOfOne = 0.25
const shareOfAll = 0.5
/** A cut that was a little too long is made again, so often at the most. */
const tries = 6
/** So much is taken off the proportion: a beginning may be dearer than the rest. */
const caution = 0.95

export type BudgetInput = {
  /** Null: not known, and only `limitBytes` holds. */
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
  readonly #used: { text: string; tokens: number | null }[] = []

  constructor(input: BudgetInput) {
    this.#input = input
  }

  /** `head`, then as much of `body` as there is room for; `note` ends what is cut. */
  async fit(head: string, body: string, note: string): Promise<FittedText> {
    let shown = headOf(body, this.#input.limitBytes)
    for (let left = tries; left > 0 && shown !== ''; left--) {
      const text = textOf(head, body, shown, note)
      const over = await this.#over(text)
      if (over === null) return this.#keep(text, shown, shown !== body)
      shown = headOf(shown, Math.floor(sizeOf(shown) * Math.min(1, over) * caution))
    }
    const text = body === '' ? `${head}\n` : `${head}\n${note}`
    return this.#keep(text, '', body !== '')
  }

  #keep(text: string, shown: string, isCut: boolean): FittedText {
    if (this.#used.at(-1)?.text !== text) this.#used.push({ text, tokens: null })
    return { text, shown, isCut }
  }

  /** Null where the text fits; else the share of it that may. */
  async #over(text: string): Promise<number | null> {
    const { contextTokens } = this.#input
    if (contextTokens === null) return null
    const one = contextTokens * shareOfOne
    const all = contextTokens * shareOfAll
    // No tokenizer makes more tokens than there are bytes: what fits by that need not be counted.
    const most = this.#used.reduce((sum, used) => sum + (used.tokens ?? sizeOf(used.text)), 0)
    if (sizeOf(text) <= one && most + sizeOf(text) <= all) return null
    let used = 0
    for (const earlier of this.#used) {
      earlier.tokens ??= await this.#input.count(earlier.text)
      used += earlier.tokens
    }
    const tokens = await this.#input.count(text)
    const room = Math.min(one, all - used)
    if (tokens > room) return Math.max(0, room) / tokens
    this.#used.push({ text, tokens })
    return null
  }
}

function textOf(head: string, body: string, shown: string, note: string): string {
  return shown === body ? `${head}\n${body}` : `${head}\n${shown}\n${note}`
}
