import { Refusal } from './refusal.ts'
import type { Lease, SlotPool } from './slot-pool.ts'
import type { Shown, ShownCall, SpokenToken } from './speech.ts'
import type { Vocabulary } from './vocabulary.ts'

export type Delta =
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'call'; call: ShownCall; isFirst: boolean; text: string }

/** One token that was said: null where it shows nothing by itself, a part of a character. */
export type Step = { tokenId: number; predicted: number; delta: Delta | null; isPartial: boolean }

export type Ending = {
  stopType: 'eos' | 'word' | 'limit'
  stoppingWord: string
  isTruncated: boolean
  predicted: number
  spoken: readonly number[]
  /** What was left of a character when the output was cut. */
  hasPartialCharacter: boolean
  hasNewLine: boolean
}

export type Utterance = {
  lease: Lease
  tokens: readonly SpokenToken[]
  /** The answer was cut after its tokens, as by a limit. */
  endsByLimit: boolean
  maxTokens: number
  contextTokens: number
  stops: readonly string[]
  ignoresEnd: boolean
  tokenMs: number
  signal: AbortSignal
}

/** Says an answer token by token; returns how it ended. Errors: `Refusal` when a shared cache is full. */
export async function* speak(
  utterance: Utterance,
  vocabulary: Vocabulary,
  pool: SlotPool,
): AsyncGenerator<Step, Ending> {
  const { lease, stops } = utterance
  const room = utterance.contextTokens - lease.promptTokens.length
  const limit = utterance.maxTokens < 0 ? room : Math.min(Math.max(1, utterance.maxTokens), room)
  const spoken: number[] = []
  const ending: Ending = {
    stopType: 'limit',
    stoppingWord: '',
    isTruncated: false,
    predicted: 0,
    spoken,
    hasPartialCharacter: false,
    hasNewLine: false,
  }
  const shower = new Shower(vocabulary, stops)
  for (const token of endless(utterance, vocabulary)) {
    if (token === null || utterance.signal.aborted) break
    await pause(utterance.tokenMs)
    pool.checkSpace()
    if (lease.isOutOfSpace) throw new Refusal(500, 'Context size has been exceeded.')
    spoken.push(token.id)
    lease.predictedTokens = spoken.length
    ending.predicted = spoken.length
    if (token.id === vocabulary.endId) {
      ending.stopType = 'eos'
      yield { tokenId: token.id, predicted: spoken.length, delta: shower.rest(), isPartial: false }
      break
    }
    const isLast = spoken.length >= limit
    const delta = shower.show(token, isLast)
    if (shower.stoppedBy !== null) {
      ending.stopType = 'word'
      ending.stoppingWord = shower.stoppedBy
      if (delta !== null && delta.text !== '') yield step(token.id, spoken.length, delta, shower)
      break
    }
    yield step(token.id, spoken.length, delta, shower)
    if (isLast) {
      ending.isTruncated = limit === room && utterance.maxTokens !== spoken.length
      break
    }
  }
  ending.hasPartialCharacter = shower.isPartial
  ending.hasNewLine = shower.hasNewLine
  return ending
}

function step(tokenId: number, predicted: number, delta: Delta | null, shower: Shower): Step {
  return { tokenId, predicted, delta, isPartial: shower.isPartial }
}

/** The answer and the end of turn; without an end the same words again, and null where a limit cut the answer. */
function* endless(utterance: Utterance, vocabulary: Vocabulary): Generator<SpokenToken | null> {
  do {
    yield* utterance.tokens
    if (utterance.endsByLimit) yield null
    if (!utterance.ignoresEnd || utterance.tokens.length === 0) {
      yield { id: vocabulary.endId, shown: { kind: 'hidden' } }
    }
  } while (utterance.ignoresEnd)
}

/** Turns tokens into what is shown: whole characters only, and no text that may become a stop. */
class Shower {
  readonly #vocabulary: Vocabulary
  readonly #stops: readonly string[]
  #bytes = Buffer.alloc(0)
  #shown: Shown = { kind: 'hidden' }
  #held = ''
  readonly #begun = new Set<number>()
  stoppedBy: string | null = null
  hasNewLine = false

  constructor(vocabulary: Vocabulary, stops: readonly string[]) {
    this.#vocabulary = vocabulary
    this.#stops = stops
  }

  get isPartial(): boolean {
    return this.#bytes.length > 0
  }

  /** The last token brings along what was held back. */
  show(token: SpokenToken, isLast: boolean): Delta | null {
    if (token.shown.kind !== this.#shown.kind) this.#bytes = Buffer.alloc(0)
    this.#shown = token.shown
    const all = Buffer.concat([this.#bytes, this.#vocabulary.bytesOf(token.id) ?? Buffer.alloc(0)])
    const whole = wholeCharacters(all)
    this.#bytes = all.subarray(whole)
    if (whole === 0 && all.length > 0) return null
    const text = all.subarray(0, whole).toString('utf8')
    switch (token.shown.kind) {
      case 'hidden':
        return null
      case 'text':
        return { kind: 'text', text: this.#beforeStop(text, isLast) }
      case 'reasoning':
        return { kind: 'reasoning', text }
      case 'call': {
        const { call } = token.shown
        const isFirst = !this.#begun.has(call.index)
        this.#begun.add(call.index)
        return { kind: 'call', call, isFirst, text }
      }
    }
  }

  /** What was held back and is no stop after all. */
  rest(): Delta | null {
    const text = this.#held
    this.#held = ''
    return text === '' ? null : { kind: 'text', text }
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
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte < 0xc0) continue
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return size > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Also lets the server read between two tokens when there is nothing to wait for. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)))
}
