import { isSlow } from '../../../shared/delay.ts'
import type { ModelTimeouts } from '../../../shared/domain/model/model-profile.ts'
import type { CompletionEnd } from '../../../shared/domain/model/model-status.ts'
import { type AppError, isAppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import type { ModelEvent, ModelEvents } from '../client/model-client.ts'
import type { Attempt } from '../client/retry.ts'
import { SilenceWatch } from './silence-watch.ts'
import { StopCutter } from './stop-cutter.ts'

/** Headers come only when the model is free: without them after this time, other requests are being served. */
const queuedAfterMs = 300

type StreamingRunInput = {
  clock: Clock
  timeouts: ModelTimeouts
  stops: readonly string[]
  /** Opens the stream of text. Shape: no piece counts after the first with `isLast`. */
  open(signal: AbortSignal): Promise<AsyncIterable<{ text: string; isLast: boolean }>>
  /** Makes the error of a stream that ends without a last piece. */
  cut(): AppError
  /** Tells the server to stop, before its connection is closed. Absent: the closed connection tells it. */
  stop?: () => Promise<unknown>
}

/** A streamed text. `isCut`: at a stop sequence; `msReading`: from the headers to the first text, null without one. */
export type StreamedText = {
  text: string
  isCut: boolean
  isAborted: boolean
  pieceCount: number
  msPrompt: number
  msReading: number | null
  msTotal: number
}

/**
 * The result of a request, once its events have ended. `promptTokens`: the server's figure; absent: the count before the
 * request is used. `reusedOf`: estimates the reused tokens of a prompt from those that its beginning shares with the
 * last one; absent: these.
 */
export type TextOutcome = {
  text: string
  end: CompletionEnd
  promptTokens?: number
  completionTokens: number
  isExact: boolean
  msPrompt: number
  msTotal: number
  reusedOf?: (promptTokens: number, sharedTokens: number) => number | null
}

/**
 * Prepares one streamed request: phases, time limits, stop sequences, and the end by a user with the text kept.
 * `conclude`: makes the outcome after the text, also of one that a user stopped; may yield more events.
 */
export function streamingRun(
  input: StreamingRunInput,
  conclude: (streamed: StreamedText) => TextOutcome | ModelEvents<TextOutcome>,
): Attempt<TextOutcome> {
  const { clock, timeouts, open, cut, stop = async () => undefined } = input
  const cutter = new StopCutter(input.stops)
  const startedAt = clock.now()
  let readingSince: number | null = null
  let firstTokenAt: number | null = null
  let pieceCount = 0
  let text = ''

  async function* stream(watch: SilenceWatch, signal: AbortSignal): ModelEvents {
    const opening = open(watch.signal)
    if (await isSlow(clock, opening, queuedAfterMs)) yield phase('queued')
    const pieces = await opening
    readingSince = clock.now()
    yield phase('reading')
    for await (const piece of pieces) {
      if (piece.text !== '') {
        watch.expect('idle', timeouts.idleMs)
        if (firstTokenAt === null) {
          firstTokenAt = clock.now()
          yield phase('writing')
        }
        pieceCount += 1
        yield* say(cutter.push(piece.text))
      }
      if (piece.isLast || signal.aborted) return
      // The text has a stop sequence that the engine does not know, since there are more than it takes.
      if (cutter.isCut) {
        await stop()
        return
      }
    }
    if (!signal.aborted) throw cut()
  }

  function* say(shown: string): Generator<ModelEvent, void, void> {
    text += shown
    if (shown !== '') yield { type: 'text', text: shown }
  }

  return {
    get hasBegun() {
      return firstTokenAt !== null
    },
    async *events(signal) {
      signal.throwIfAborted()
      // The server is told to stop before the socket is closed: a queued request would run in spite of a closed socket.
      const closing = new AbortController()
      let stopping: Promise<void> | undefined
      const end = () => {
        stopping = stop().then(() => closing.abort(signal.reason))
      }
      signal.addEventListener('abort', end, { once: true })
      const watch = new SilenceWatch(clock, closing.signal)
      watch.expect('first-token', timeouts.firstTokenMs)
      let isSettled = false
      try {
        yield* stream(watch, signal)
        isSettled = true
      } catch (error) {
        isSettled = !isAppError(error, 'model/timeout')
        if (!signal.aborted) throw error
      } finally {
        signal.removeEventListener('abort', end)
        // The reader left, or the server was silent for too long: the server may still be writing.
        if (!isSettled && !signal.aborted) await stop()
        await stopping
        watch.close()
      }
      const msTotal = clock.now() - startedAt
      yield* say(cutter.flush())
      const outcome = conclude({
        text,
        isCut: cutter.isCut,
        isAborted: signal.aborted,
        pieceCount,
        msPrompt: (firstTokenAt ?? clock.now()) - startedAt,
        msReading: firstTokenAt === null || readingSince === null ? null : firstTokenAt - readingSince,
        msTotal,
      })
      return 'end' in outcome ? outcome : yield* outcome
    },
  }
}

function phase(name: 'queued' | 'reading' | 'writing'): ModelEvent {
  return { type: 'phase', phase: name, progress: null }
}
