/**
 * Removes the prefilled beginning of an answer where a server repeats it.
 *
 * Source: llama-server as measured, chat: the reply repeats the prefilled text, in the first delta too.
 */
export class PrefillStripper {
  readonly #prefill: string
  #held = ''
  #isDecided: boolean

  constructor(prefill: string) {
    this.#prefill = prefill
    this.#isDecided = prefill === ''
  }

  push(piece: string): string {
    if (this.#isDecided) return piece
    this.#held += piece
    // White space before the repetition is not part of the answer.
    const begun = this.#prefill.startsWith(this.#held) ? this.#held : this.#held.trimStart()
    if (begun.length < this.#prefill.length && this.#prefill.startsWith(begun)) return ''
    this.#isDecided = true
    return begun.startsWith(this.#prefill) ? begun.slice(this.#prefill.length) : this.#held
  }

  /** Returns the text held back, at the end of the answer: a text shorter than the prefill is not a repetition. */
  flush(): string {
    if (this.#isDecided) return ''
    this.#isDecided = true
    return this.#held
  }
}
