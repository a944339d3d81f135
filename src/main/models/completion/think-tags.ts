import type { ModelEvents } from '../client/model-client.ts'

const opening = '<think>'
const closing = '</think>'

/**
 * Turns the thinking that a model writes at the very beginning of its text into `reasoning` events.
 *
 * Shape: only text between tags at the beginning; later tags are text, such as in an answer about them.
 */
export async function* splitThinking(events: ModelEvents): ModelEvents {
  let splitter = new ThinkSplitter()
  for await (const event of events) {
    if (event.type === 'text') yield* splitter.push(event.text)
    else if (event.type === 'replace') {
      splitter = new ThinkSplitter()
      const parts = [...splitter.push(event.text), ...splitter.flush()]
      const answer = parts.filter(({ type }) => type === 'text').map(({ text }) => text)
      yield { type: 'replace', text: answer.join('') }
    } else {
      if (event.type === 'usage' || event.type === 'done') yield* splitter.flush()
      yield event
    }
  }
}

export type AnswerPart = { type: 'text' | 'reasoning'; text: string }

/**
 * Tells thinking from text in an answer that comes in pieces.
 *
 * `before`: only white space was seen. `inside`: between the tags. `gap`: white space after them. `after`: text.
 */
export class ThinkSplitter {
  #state: 'before' | 'inside' | 'gap' | 'after' = 'before'
  #held = ''

  push(piece: string): AnswerPart[] {
    this.#held += piece
    const parts: AnswerPart[] = []
    if (this.#state === 'before') this.#begin()
    if (this.#state === 'inside') parts.push(...this.#inside())
    if (this.#state === 'gap') this.#skipSpace()
    if (this.#state === 'after') parts.push(...this.#take('text', this.#held.length))
    return parts
  }

  /** Returns the text held back, when no more will come. */
  flush(): AnswerPart[] {
    return this.#take(this.#state === 'inside' ? 'reasoning' : 'text', this.#held.length)
  }

  #begin(): void {
    const text = this.#held.trimStart()
    if (text.startsWith(opening)) {
      this.#state = 'inside'
      this.#held = text.slice(opening.length)
    } else if (!opening.startsWith(text)) this.#state = 'after'
  }

  #inside(): AnswerPart[] {
    const end = this.#held.indexOf(closing)
    if (end === -1) {
      let kept = Math.min(closing.length - 1, this.#held.length)
      while (!this.#held.endsWith(closing.slice(0, kept))) kept -= 1
      return this.#take('reasoning', this.#held.length - kept)
    }
    const parts = this.#take('reasoning', end)
    this.#held = this.#held.slice(closing.length)
    this.#state = 'gap'
    return parts
  }

  #skipSpace(): void {
    this.#held = this.#held.trimStart()
    if (this.#held !== '') this.#state = 'after'
  }

  #take(type: AnswerPart['type'], length: number): AnswerPart[] {
    const text = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return text === '' ? [] : [{ type, text }]
  }
}
