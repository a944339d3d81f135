import { isSlow } from '../../../shared/delay.ts'
import type { ModelTimeouts } from '../../../shared/domain/model/model-profile.ts'
import type { CompletionEnd } from '../../../shared/domain/model/model-status.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import type { ModelEvent, ModelEvents } from '../client/model-client.ts'
import { openaiStreamFault } from '../client/openai-faults.ts'
import type { OpenaiHttp } from '../client/openai-http.ts'
import type { Attempt } from '../client/retry.ts'
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

type OpenaiRunInput = AnswerTextOptions & {
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

/** Prepares one streamed request. Closing its connection tells the server to stop. */
export function openaiRun(input: OpenaiRunInput): Attempt<OpenaiOutcome> {
  const { clock, http, timeouts, open } = input
  const answer = new AnswerText(input)
  const calls = new ToolCallCollector()
  const limitChars = leastLimitChars + mostTokenChars * input.maxTokens
  const startedAt = clock.now()
  let firstTokenAt: number | null = null
  let end: CompletionEnd | null = null
  let usage: ServerUsage | null = null
  let pieceCount = 0
  /** Number of characters of the text and of calls, as they came. */
  let receivedChars = 0
  let text = ''

  async function* stream(watch: SilenceWatch, signal: AbortSignal): ModelEvents {
    const opening = open(watch.signal)
    if (await isSlow(clock, opening, queuedAfterMs)) yield phase('queued', null)
    const events = await opening
    yield phase('reading', null)
    for await (const event of events) {
      const parts = readStreamEvent(event)
      if (parts === null)
        throw http.badResponse(`an event of another kind: ${JSON.stringify(event).slice(0, 80)}`)
      for (const part of parts) yield* take(part, watch)
      if (signal.aborted || answer.isCut) return
      if (end === null && receivedChars > limitChars) {
        // The server ignores the limit that it was given, and might never end.
        end = 'length'
        return
      }
      if (end !== null && usage !== null) return
    }
    if (end === null && !signal.aborted) throw http.cut()
  }

  function* take(part: StreamPart, watch: SilenceWatch): Generator<ModelEvent, void, void> {
    switch (part.type) {
      case 'error':
        throw openaiStreamFault(http.address, part.error)
      case 'progress':
        watch.expect('first-token', timeouts.firstTokenMs)
        return yield phase('reading', part.progress)
      case 'usage':
        usage = part.usage
        return
      case 'finish':
        end = part.end
        return watch.expect('idle', tailMs)
      case 'text':
        yield* hear(watch)
        receivedChars += part.text.length
        return yield* say(answer.push(part.text))
      case 'reasoning':
        yield* hear(watch)
        return yield part
      case 'chance':
        return yield part
      case 'call':
        yield* hear(watch)
        receivedChars += part.piece.arguments.length
        return calls.push(part.piece)
    }
  }

  /** Notes a piece of the answer, and starts the time limit for the next one. */
  function* hear(watch: SilenceWatch): Generator<ModelEvent, void, void> {
    watch.expect('idle', timeouts.idleMs)
    pieceCount += 1
    if (firstTokenAt !== null) return
    firstTokenAt = clock.now()
    yield phase('writing', null)
  }

  function* say(parts: readonly AnswerPart[]): Generator<ModelEvent, void, void> {
    for (const part of parts) {
      if (part.type === 'text') text += part.text
      yield part
    }
  }

  function* conclude(isAborted: boolean): Generator<ModelEvent, OpenaiOutcome, void> {
    const msTotal = clock.now() - startedAt
    yield* say(answer.flush(isAborted || end === 'length'))
    const howEnded = isAborted ? 'aborted' : answer.isCut ? 'stop-sequence' : (end ?? 'stop')
    // In an answer that was stopped, no call is certain to be complete.
    if (howEnded !== 'aborted') {
      for (const call of calls.finish(howEnded === 'length')) yield { type: 'tool-call', call }
    }
    const msPrompt = (firstTokenAt ?? clock.now()) - startedAt
    return { text, end: howEnded, usage, pieceCount, msPrompt, msTotal }
  }

  return {
    get hasBegun() {
      return firstTokenAt !== null
    },
    async *events(signal) {
      const watch = new SilenceWatch(clock, signal)
      watch.expect('first-token', timeouts.firstTokenMs)
      try {
        yield* stream(watch, signal)
      } catch (error) {
        // A stop is a normal end, and after the end of the answer a lost connection does not matter.
        const isOver = end !== null && (isAppError(error, 'model/timeout') || isAppError(error, 'model/cut'))
        if (!signal.aborted && !isOver) throw error
      } finally {
        watch.close()
      }
      return yield* conclude(signal.aborted)
    },
  }
}

function phase(name: 'queued' | 'reading' | 'writing', progress: number | null): ModelEvent {
  return { type: 'phase', phase: name, progress }
}
