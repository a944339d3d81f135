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
    // White space before a repetition is not part of the answer. The line itself may begin with an indent, too.
    const pairs: [begun: string, whole: string][] = [
      [this.#held, this.#prefill],
      [this.#held.trimStart(), this.#prefill.trimStart()],
    ]
    if (pairs.some(([begun, whole]) => begun.length < whole.length && whole.startsWith(begun))) return ''
    this.#isDecided = true
    const repeated = pairs.find(([begun, whole]) => whole !== '' && begun.startsWith(whole))
    return repeated === undefined ? this.#held : repeated[0].slice(repeated[1].length)
  }

  /** Returns the text held back, at the end of the answer: a text shorter than the prefill is not a repetition. */
  flush(): string {
    if (this.#isDecided) return ''
    this.#isDecided = true
    return this.#held
  }
}
