/**
 * Cuts a text that arrives in pieces where the first stop sequence begins.
 *
 * Text that could still become a stop sequence is held back, so that no part of one is ever shown.
 */
export class StopCutter {
  readonly #stops: readonly string[]
  #held = ''
  #isCut = false

  constructor(stops: readonly string[]) {
    this.#stops = usableStops(stops)
  }

  get isCut(): boolean {
    return this.#isCut
  }

  /** Returns the text that is safe to show now. */
  push(piece: string): string {
    if (this.#isCut) return ''
    const text = this.#held + piece
    const cut = cutPosition(text, this.#stops)
    if (cut !== -1) {
      this.#isCut = true
      this.#held = ''
      return text.slice(0, cut)
    }
    const heldLength = this.#heldLength(text)
    this.#held = heldLength === 0 ? '' : text.slice(-heldLength)
    return text.slice(0, text.length - heldLength)
  }

  /** Returns the text held back, when no more will come. */
  flush(): string {
    const rest = this.#held
    this.#held = ''
    return rest
  }

  #heldLength(text: string): number {
    let longest = 0
    for (const stop of this.#stops) {
      for (let size = Math.min(stop.length - 1, text.length); size > longest; size -= 1) {
        if (text.endsWith(stop.slice(0, size))) longest = size
      }
    }
    return longest
  }
}

/** Removes duplicates and empty stop sequences, which would end every text at once. */
export function usableStops(stops: readonly string[]): string[] {
  return [...new Set(stops)].filter((stop) => stop !== '')
}

/** Returns `text` up to where the first stop sequence begins. */
export function cutAtStops(text: string, stops: readonly string[]): string {
  const cut = cutPosition(text, usableStops(stops))
  return cut === -1 ? text : text.slice(0, cut)
}

function cutPosition(text: string, stops: readonly string[]): number {
  let first = -1
  for (const stop of stops) {
    const at = text.indexOf(stop)
    if (at !== -1 && (first === -1 || at < first)) first = at
  }
  return first
}
