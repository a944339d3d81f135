const openings = ['<think>', '<thinking>', '[THINK]', '<|channel|>analysis<|message|>']
const closings: Record<string, string> = {
  '<think>': '</think>',
  '<thinking>': '</thinking>',
  '[THINK]': '[/THINK]',
  '<|channel|>analysis<|message|>': '<|channel|>final<|message|>',
}

type Heard = { text: string; reasoning: string }

/**
 * Tells thinking from the answer in a stream of text, for backends that send both as one.
 *
 * Thinking is recognised at the very beginning only; what may still become a mark is held back.
 */
export class ThinkingSplit {
  #state: 'start' | 'thinking' | 'answer' = 'start'
  #held = ''
  #closing = ''

  push(piece: string): Heard {
    this.#held += piece
    if (this.#state === 'start') this.#begin()
    if (this.#state === 'thinking') return this.#think()
    return this.#state === 'answer' ? { text: this.#take(), reasoning: '' } : { text: '', reasoning: '' }
  }

  /** What was held back at the end. */
  flush(): Heard {
    const rest = this.#take()
    return this.#state === 'thinking' ? { text: '', reasoning: rest } : { text: rest, reasoning: '' }
  }

  #begin(): void {
    const text = this.#held.trimStart()
    const opening = openings.find((mark) => text.startsWith(mark))
    if (opening !== undefined) {
      this.#state = 'thinking'
      this.#closing = closings[opening] ?? ''
      this.#held = text.slice(opening.length)
    } else if (text !== '' && !openings.some((mark) => mark.startsWith(text))) this.#state = 'answer'
  }

  #think(): Heard {
    const end = this.#held.indexOf(this.#closing)
    if (end >= 0) {
      const reasoning = this.#held.slice(0, end)
      const text = this.#held.slice(end + this.#closing.length).trimStart()
      this.#held = ''
      // White space behind the mark belongs to neither; the answer begins with its first letter.
      this.#state = text === '' ? 'start' : 'answer'
      return { text, reasoning }
    }
    const kept = heldLength(this.#held, this.#closing)
    const reasoning = this.#held.slice(0, this.#held.length - kept)
    this.#held = this.#held.slice(this.#held.length - kept)
    return { text: '', reasoning }
  }

  #take(): string {
    const text = this.#held
    this.#held = ''
    return text
  }
}

/** How much of a text's end may be the beginning of a mark. */
function heldLength(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (mark.startsWith(text.slice(-length))) return length
  return 0
}
