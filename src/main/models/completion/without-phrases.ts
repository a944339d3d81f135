import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { CompletionRequest, ModelEvent, ModelEvents } from '../client/model-client.ts'
import { usageEvent } from './request-usage.ts'
import { StopCutter } from './stop-cutter.ts'

/** Maximum number of attempts at one place before the text ends there. */
const mostTries = 8
/** Number of tokens that are written with banned starts: one character may take that many. */
const bannedTokens = 3

/**
 * Completes without the request's banned phrases, on a backend that can ban how an answer begins: where a phrase
 * appears, the text is cut before the token in which it began and continued from there without that token.
 *
 * Shape: no part of a phrase is ever yielded; letter case is ignored. Where no other continuation is found, the text
 * ends before the phrase.
 */
export async function* withoutPhrases(
  request: CompletionRequest,
  run: (request: CompletionRequest, signal: AbortSignal) => ModelEvents,
  signal: AbortSignal,
): ModelEvents {
  const { bannedPhrases = [], ...rest } = request
  const phrases = bannedPhrases.filter((phrase) => phrase !== '').map((phrase) => phrase.toLowerCase())
  if (phrases.length === 0) return yield* run(rest, signal)

  const text = new RewindableText(phrases)
  // A run sees only its own text, so it misses a stop sequence that began before the text went back.
  const stops = new StopCutter(request.stops)
  let usage: ModelUsage | null = null
  let banned: { at: number; starts: string[] } = { at: -1, starts: [] }
  let isBanned = false
  /** Tokens used of the limit. Removed text does not count: a quick engine goes on writing until it is stopped. */
  let spentTokens = 0
  for (let part = 0; ; part += 1) {
    const left = request.maxTokens - spentTokens
    const keptBefore = text.pieces
    let writtenPieces = 0
    let writtenTokens = 0
    const { promptTokens: _, ...same } = rest
    const asked: CompletionRequest = {
      ...(part === 0 ? rest : same),
      prompt:
        text.whole === '' ? request.prompt : [...request.prompt, { text: text.whole, isSpecial: false }],
      maxTokens: Math.max(1, Math.floor(isBanned ? Math.min(left, bannedTokens) : left)),
      seed: (request.seed + part) % 2 ** 31,
      ...(isBanned && { bannedStarts: banned.starts }),
    }
    const cut = new AbortController()
    let found: { at: number; start: string } | null = null
    let end: Extract<ModelEvent, { type: 'done' }> | null = null
    let isFull = false
    try {
      for await (const event of run(asked, AbortSignal.any([signal, cut.signal]))) {
        if (event.type === 'usage') {
          usage = added(usage, event.usage)
          writtenTokens += event.usage.completionTokens
        } else if (event.type === 'done') end = event
        else if (event.type !== 'text') {
          if (part === 0 || event.type === 'chance') yield event
          continue
        } else writtenPieces += 1
        if (event.type === 'text' && found === null) {
          found = text.push(event.text)
          const shown = stops.push(text.show())
          if (shown !== '') yield { type: 'text', text: shown }
          // The rest of this run is waited for: one request at a time.
          if (found !== null || stops.isCut) cut.abort()
        }
      }
    } catch (error) {
      // A stopped run tells its pieces, not its tokens, so that more may have been written than was counted.
      if (part === 0 || !isAppError(error, 'model/context-overflow')) throw error
      isFull = true
    }
    const keptPieces = text.pieces - keptBefore
    spentTokens += found === null ? writtenTokens : (writtenTokens * keptPieces) / Math.max(1, writtenPieces)
    const isOver = isFull || spentTokens >= request.maxTokens
    if (found !== null && !stops.isCut && !signal.aborted && !isOver) {
      banned = { at: found.at, starts: [...(found.at === banned.at ? banned.starts : []), found.start] }
      isBanned = banned.starts.length <= mostTries
      if (isBanned) continue
    }
    const isShortRun = isBanned && found === null && end?.stopReason === 'length' && !isOver
    isBanned = false
    if (isShortRun && !stops.isCut && !signal.aborted) continue
    const held = stops.push(found === null ? text.flush() : '') + stops.flush()
    if (held !== '') yield { type: 'text', text: held }
    if (usage !== null) yield { type: 'usage', usage }
    yield found === null && end !== null && !stops.isCut
      ? end
      : { type: 'done', stopReason: endOf(signal, isOver && !stops.isCut) }
    return
  }
}

function endOf(signal: AbortSignal, isOver: boolean): 'aborted' | 'length' | 'stop-sequence' {
  if (signal.aborted) return 'aborted'
  return isOver ? 'length' : 'stop-sequence'
}

function added(before: ModelUsage | null, next: ModelUsage): ModelUsage {
  if (before === null) return next
  const msTotal = before.msTotal + next.msTotal
  const completionTokens = before.completionTokens + next.completionTokens
  return usageEvent({ ...before, msTotal, completionTokens }).usage
}

/** A text of pieces, which can be removed back to the end of the shown part. */
class RewindableText {
  readonly #phrases: readonly string[]
  readonly #longest: number
  #starts: number[] = []
  #shown = 0
  whole = ''

  /** Number of pieces in the text. */
  get pieces(): number {
    return this.#starts.length
  }

  constructor(phrases: readonly string[]) {
    this.#phrases = phrases
    this.#longest = Math.max(...phrases.map((phrase) => phrase.length))
  }

  /** Adds a piece. Where a phrase appears, cuts the text before the piece in which it began, and returns that piece. */
  push(piece: string): { at: number; start: string } | null {
    const before = this.whole.length
    this.#starts.push(before)
    this.whole += piece
    const at = this.#find(Math.max(this.#shown, before - this.#longest))
    if (at < 0) return null
    const index = this.#starts.findLastIndex((start) => start <= at)
    const from = this.#starts[index] ?? 0
    const start = this.whole.slice(from, this.#starts[index + 1] ?? this.whole.length)
    this.whole = this.whole.slice(0, from)
    this.#starts = this.#starts.slice(0, index)
    return { at: from, start }
  }

  /** Returns the text that can no longer become part of a phrase. */
  show(): string {
    const begun = this.#begunAt()
    const start = this.#starts.findLast((each) => each <= begun) ?? 0
    return this.#upTo(begun === this.whole.length ? begun : Math.max(this.#shown, start))
  }

  flush(): string {
    return this.#upTo(this.whole.length)
  }

  #upTo(end: number): string {
    const text = this.whole.slice(this.#shown, end)
    this.#shown = Math.max(this.#shown, end)
    return text
  }

  #find(from: number): number {
    const text = lowered(this.whole.slice(from))
    const found = this.#phrases.map((phrase) => text.indexOf(phrase)).filter((at) => at >= 0)
    return found.length === 0 ? -1 : from + Math.min(...found)
  }

  /** Returns where the longest unfinished phrase at the end begins; the end where there is none. */
  #begunAt(): number {
    const text = lowered(this.whole.slice(-this.#longest))
    for (let size = text.length; size > 0; size -= 1) {
      const tail = text.slice(-size)
      if (this.#phrases.some((phrase) => phrase.startsWith(tail))) return this.whole.length - size
    }
    return this.whole.length
  }
}

/** Returns the text in lower case, or unchanged where that has another length, so that positions stay the same. */
function lowered(text: string): string {
  const small = text.toLowerCase()
  return small.length === text.length ? small : text
}
