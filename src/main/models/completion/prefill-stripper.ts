/**
 * A line that an answer goes on from, and may repeat.
 *
 * Shape: `isQuoted` is a line that stands in an instruction, so that the model itself repeats it.
 */
export type BegunLine = { text: string; isQuoted: boolean }

/**
 * Removes the begun line of an answer where the server or the model repeats it.
 *
 * Source: llama-server as measured, chat: the reply repeats the prefilled text, in the first delta too.
 */
export class PrefillStripper {
  readonly #prefill: string
  readonly #isQuoted: boolean
  #held = ''
  #isDecided: boolean

  constructor({ text, isQuoted }: BegunLine) {
    this.#prefill = text
    this.#isQuoted = isQuoted
    this.#isDecided = text === ''
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

  /**
   * Returns the text held back, at the end of the answer. `isEarly`: the answer was ended by a limit or by the user,
   * and a text that is shorter than the line is a repetition that was cut.
   */
  flush(isEarly: boolean): string {
    if (this.#isDecided) return ''
    this.#isDecided = true
    return this.#isQuoted || isEarly ? '' : this.#held
  }
}
