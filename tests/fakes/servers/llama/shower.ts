import type { Shown, ShownCall, SpokenToken } from './wording/speech.ts'

/** A piece of the reply. */
export type Delta =
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'call'; call: ShownCall; isFirst: boolean; text: string }

/** Turns tokens into visible text: whole characters only, and no text that may become a stop sequence. */
export class Shower {
  readonly #stops: readonly string[]
  #bytes = Buffer.alloc(0)
  #kind: Shown['kind'] = 'hidden'
  #held = ''
  readonly #begun = new Set<number>()
  stoppedBy: string | null = null
  hasNewLine = false

  constructor(stops: readonly string[]) {
    this.#stops = stops
  }

  /** Whether bytes of an unfinished character wait. */
  get isPartial(): boolean {
    return this.#bytes.length > 0
  }

  /** The last token brings along what was held back. */
  show(token: SpokenToken, isLast: boolean): Delta[] {
    return token.parts.flatMap(({ bytes, shown }) => this.#showPart(bytes, shown, isLast) ?? [])
  }

  /** What was held back and is no stop after all. */
  rest(): Delta[] {
    const text = this.#held
    this.#held = ''
    return text === '' ? [] : [{ kind: 'text', text }]
  }

  #showPart(bytes: Buffer, shown: Shown, isLast: boolean): Delta | null {
    if (shown.kind !== this.#kind) this.#bytes = Buffer.alloc(0)
    this.#kind = shown.kind
    const all = Buffer.concat([this.#bytes, bytes])
    const whole = wholeLength(all)
    this.#bytes = all.subarray(whole)
    if (whole === 0 && all.length > 0) return null
    const text = all.subarray(0, whole).toString('utf8')
    switch (shown.kind) {
      case 'hidden':
        return null
      case 'text':
        return { kind: 'text', text: this.#beforeStop(text, isLast) }
      case 'reasoning':
        return { kind: 'reasoning', text }
      case 'call': {
        const isFirst = !this.#begun.has(shown.call.index)
        this.#begun.add(shown.call.index)
        return { kind: 'call', call: shown.call, isFirst, text }
      }
    }
  }

  #beforeStop(text: string, isLast: boolean): string {
    if (text.includes('\n')) this.hasNewLine = true
    const all = this.#held + text
    const found = this.#stops
      .map((stop) => ({ stop, at: all.indexOf(stop) }))
      .filter(({ at }) => at !== -1)
      .sort((left, right) => left.at - right.at)[0]
    if (found !== undefined) {
      this.stoppedBy = found.stop
      this.#held = ''
      return all.slice(0, found.at)
    }
    const held = isLast ? 0 : this.#stops.reduce((most, stop) => Math.max(most, overlap(all, stop)), 0)
    this.#held = held === 0 ? '' : all.slice(-held)
    return held === 0 ? all : all.slice(0, -held)
  }
}

/** How much of the text's end is a beginning of `stop`. */
function overlap(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length -= 1) {
    if (text.endsWith(stop.slice(0, length))) return length
  }
  return 0
}

/** The length of the longest beginning that ends with a whole character. */
function wholeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte < 0xc0) continue
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return size > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
