import { type BegunLine, PrefillStripper } from './prefill-stripper.ts'
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
