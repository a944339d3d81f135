import type { LlamaModel, Token } from 'node-llama-cpp'

/** Maximum number of tokens of one character; a longer sequence is not an unfinished character. */
export const longestCharacterTokens = 6
const contextLength = 8
const broken = /\ufffd{2,}/g

/** Turns tokens into text as they come; the bytes of an unfinished character wait for the rest. */
export class TokenText {
  readonly #model: LlamaModel
  #before: Token[]
  #waiting: Token[] = []

  constructor(model: LlamaModel, before: readonly Token[]) {
    this.#model = model
    this.#before = before.slice(-contextLength)
  }

  push(token: Token): string {
    this.#waiting.push(token)
    // Invalid bytes are shown as one replacement character, not as one each.
    const text = this.#model.detokenize(this.#waiting, false, this.#before).replace(broken, '\ufffd')
    const isUnfinished = text.endsWith('\ufffd') && this.#waiting.length < longestCharacterTokens
    if (isUnfinished) return ''
    this.#before = [...this.#before, ...this.#waiting].slice(-contextLength)
    this.#waiting = []
    return text
  }
}
