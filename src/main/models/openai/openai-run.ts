import type { ModelTimeouts } from '../../../shared/domain/model/model-profile.ts'
import type { CompletionEnd } from '../../../shared/domain/model/model-status.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import { isSlow } from '../../platform/clock.ts'
import type { ModelEvent } from '../client/model-client.ts'
import { openaiStreamFault } from '../client/openai-faults.ts'
import type { OpenaiHttp } from '../client/openai-http.ts'
import { AnswerText, type AnswerTextOptions } from '../completion/answer-text.ts'
import { SilenceWatch } from '../completion/silence-watch.ts'
import type { AnswerPart } from '../completion/think-tags.ts'
import { readStreamEvent, type ServerUsage, type StreamPart } from './openai-stream.ts'
import { ToolCallCollector } from './tool-call-collector.ts'

/** Headers come only when a slot is free: without them after this time, other requests are being served. */
const queuedAfterMs = 300
/** Time limit for figures, which come after the end, if at all, and must not delay it for long. */
const tailMs = 2_000
/** Most characters of an answer for each token that it may have: no text in any vocabulary has so many. */
const mostTokenChars = 32
/** Most characters of the shortest answer: a single token may be a long line of one sign. */
const leastLimitChars = 1_000

export type OpenaiRunInput = AnswerTextOptions & {
  clock: Clock
  http: OpenaiHttp
  timeouts: ModelTimeouts
  /** Opens the stream: each item is one event's JSON. */
  open: (signal: AbortSignal) => Promise<AsyncIterable<unknown>>
  maxTokens: number
}

/** The result of a run, once its events have ended. `usage`: null where the server does not count. */
export type OpenaiOutcome = {
  text: string
  end: CompletionEnd
  usage: ServerUsage | null
  /** Number of pieces that came: about one for each token. */
  pieceCount: number
  msPrompt: number
  msTotal: number
}

/** One streamed request. Closing its connection tells the server to stop. */
export class OpenaiRun {
  readonly #input: OpenaiRunInput
  readonly #answer: AnswerText
  readonly #calls = new ToolCallCollector()
  readonly #startedAt: number
  #firstTokenAt: number | null = null
  #end: CompletionEnd | null = null
  #usage: ServerUsage | null = null
  #pieceCount = 0
  /** Number of characters of the text and of calls, as they came. */
  #receivedChars = 0
  #text = ''

  constructor(input: OpenaiRunInput) {
    this.#input = input
    this.#answer = new AnswerText(input)
    this.#startedAt = input.clock.now()
  }

  get hasBegun(): boolean {
    return this.#firstTokenAt !== null
  }

  get #limitChars(): number {
    return leastLimitChars + mostTokenChars * this.#input.maxTokens
  }

  async *events(signal: AbortSignal): AsyncGenerator<ModelEvent, OpenaiOutcome, void> {
    const watch = new SilenceWatch(this.#input.clock, signal)
    watch.expect('first-token', this.#input.timeouts.firstTokenMs)
    try {
      yield* this.#stream(watch, signal)
    } catch (error) {
      // A stop is a normal end, and after the end of the answer a lost connection does not matter.
      const isOver =
        this.#end !== null && (isAppError(error, 'model/timeout') || isAppError(error, 'model/cut'))
      if (!signal.aborted && !isOver) throw error
    } finally {
      watch.close()
    }
    return yield* this.#conclude(signal.aborted)
  }

  async *#stream(watch: SilenceWatch, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    const { clock, http, open } = this.#input
    const opening = open(watch.signal)
    if (await isSlow(clock, opening, queuedAfterMs)) yield phase('queued', null)
    const events = await opening
    yield phase('reading', null)
    for await (const event of events) {
      const parts = readStreamEvent(event)
      if (parts === null)
        throw http.badResponse(`an event of another kind: ${JSON.stringify(event).slice(0, 80)}`)
      for (const part of parts) yield* this.#take(part, watch)
      if (signal.aborted || this.#answer.isCut) return
      if (this.#end === null && this.#receivedChars > this.#limitChars) {
        // The server ignores the limit that it was given, and might never end.
        this.#end = 'length'
        return
      }
      if (this.#end !== null && this.#usage !== null) return
    }
    if (this.#end === null && !signal.aborted) throw http.cut()
  }

  *#take(part: StreamPart, watch: SilenceWatch): Generator<ModelEvent, void, void> {
    const { http, timeouts } = this.#input
    switch (part.type) {
      case 'error':
        throw openaiStreamFault(http.address, part.error)
      case 'progress':
        watch.expect('first-token', timeouts.firstTokenMs)
        return yield phase('reading', part.progress)
      case 'usage':
        this.#usage = part.usage
        return
      case 'finish':
        this.#end = part.end
        return watch.expect('idle', tailMs)
      case 'text':
        yield* this.#heard(watch)
        this.#receivedChars += part.text.length
        return yield* this.#say(this.#answer.push(part.text))
      case 'reasoning':
        yield* this.#heard(watch)
        return yield part
      case 'chance':
        return yield part
      case 'call':
        yield* this.#heard(watch)
        this.#receivedChars += part.piece.arguments.length
        return this.#calls.push(part.piece)
    }
  }

  /** Notes a piece of the answer, and starts the time limit for the next one. */
  *#heard(watch: SilenceWatch): Generator<ModelEvent, void, void> {
    const { clock, timeouts } = this.#input
    watch.expect('idle', timeouts.idleMs)
    this.#pieceCount += 1
    if (this.#firstTokenAt !== null) return
    this.#firstTokenAt = clock.now()
    yield phase('writing', null)
  }

  *#conclude(isAborted: boolean): Generator<ModelEvent, OpenaiOutcome, void> {
    const { clock } = this.#input
    const msTotal = clock.now() - this.#startedAt
    yield* this.#say(this.#answer.flush(isAborted || this.#end === 'length'))
    const end = isAborted ? 'aborted' : this.#answer.isCut ? 'stop-sequence' : (this.#end ?? 'stop')
    // In an answer that was stopped, no call is certain to be complete.
    if (end !== 'aborted') {
      for (const call of this.#calls.finish(end === 'length')) yield { type: 'tool-call', call }
    }
    return {
      text: this.#text,
      end,
      usage: this.#usage,
      pieceCount: this.#pieceCount,
      msPrompt: (this.#firstTokenAt ?? clock.now()) - this.#startedAt,
      msTotal,
    }
  }

  *#say(parts: readonly AnswerPart[]): Generator<ModelEvent, void, void> {
    for (const part of parts) {
      if (part.type === 'text') this.#text += part.text
      yield part
    }
  }
}

function phase(name: 'queued' | 'reading' | 'writing', progress: number | null): ModelEvent {
  return { type: 'phase', phase: name, progress }
}
