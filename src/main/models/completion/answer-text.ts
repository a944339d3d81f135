import { StopCutter } from './stop-cutter.ts'
import { type AnswerPart, ThinkSplitter } from './think-tags.ts'

/** `begun`: the line that a chat's answer may repeat; null for an answer that is text as it comes. */
export type AnswerTextOptions = { stops: readonly string[]; begun: BegunLine | null }

/**
 * Reads the text of an answer that comes in pieces: thinking first, then a repeated line, then stop sequences.
 *
 * The order matters: the line is repeated behind the thinking, and neither of the two may end the answer by a stop.
 */
export class AnswerText {
  readonly #thinking: ThinkSplitter | null
  readonly #begun: PrefillStripper
  readonly #cutter: StopCutter

  constructor({ stops, begun }: AnswerTextOptions) {
    this.#thinking = begun === null ? null : new ThinkSplitter()
    this.#begun = new PrefillStripper(begun ?? { text: '', isQuoted: false })
    this.#cutter = new StopCutter(stops)
  }

  get isCut(): boolean {
    return this.#cutter.isCut
  }

  /** Returns what is safe to show now. */
  push(piece: string): AnswerPart[] {
    return this.#read(this.#thinking?.push(piece) ?? [{ type: 'text', text: piece }])
  }

  /** Returns what was held back. `isEarly`: the answer did not come to its own end. */
  flush(isEarly: boolean): AnswerPart[] {
    const last = this.#read(this.#thinking?.flush() ?? [])
    const rest = this.#cutter.push(this.#begun.flush(isEarly)) + this.#cutter.flush()
    return rest === '' ? last : [...last, { type: 'text', text: rest }]
  }

  #read(parts: readonly AnswerPart[]): AnswerPart[] {
    return parts
      .map((part) =>
        part.type === 'text' ? { ...part, text: this.#cutter.push(this.#begun.push(part.text)) } : part,
      )
      .filter(({ text }) => text !== '')
  }
}

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
class PrefillStripper {
  readonly #line: BegunLine
  #held = ''
  #isDecided: boolean

  constructor(line: BegunLine) {
    this.#line = line
    this.#isDecided = line.text === ''
  }

  push(piece: string): string {
    if (this.#isDecided) return piece
    this.#held += piece
    const { text } = this.#line
    // White space before a repetition is not part of the answer. The line itself may begin with an indent, too.
    const pairs: [begun: string, whole: string][] = [
      [this.#held, text],
      [this.#held.trimStart(), text.trimStart()],
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
    return this.#line.isQuoted || isEarly ? '' : this.#held
  }
}
