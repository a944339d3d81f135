import { isSlow, unlessAborted } from '../../../shared/delay.ts'
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
/** Time limit of a request after the text, so that a server that does not answer delays the end only for this long. */
const tidyMs = 2_000

type StreamingRunInput<Event> = {
  clock: Clock
  timeouts: ModelTimeouts
  stops: readonly string[]
  /** Opens the stream of events, most often by `ServerHttp.openEvents`. */
  open(signal: AbortSignal): Promise<AsyncIterable<Event>>
  /** Returns the text of an event, and in the last event how the server ended it. Later events are not read. */
  read(event: Event): { text: string; end?: CompletionEnd | null }
  /** Makes the error of a stream that ends without a last event. */
  cut(): AppError
  /**
   * Tells the server to stop, before the connection is closed; a failure is ignored, and `signal` is aborted after 2
   * seconds. Called only once `open` has resolved: before that the server may be answering another client. Absent: the
   * closed connection tells it.
   */
  stop?: (signal: AbortSignal) => Promise<unknown>
  /** `stop` names this request, so that it is also called while the request waits for another client's. */
  canStopQueued?: boolean
}

/** A streamed text. `msReading`: from the headers to the first text, null without one. */
export type StreamedText = {
  text: string
  end: CompletionEnd
  pieceCount: number
  msPrompt: number
  msReading: number | null
  msTotal: number
  /** Makes a request after the text. Null: it failed, or took longer than 2 seconds; no more are made then. */
  tidy<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | null>
}

/**
 * The answers of the server to requests after the text. `text` and `end` replace those of the stream. Where
 * `promptTokens` or `completionTokens` is absent, the client counts these tokens. `reusedOf` returns how many tokens of
 * the prompt were reused; where it is absent, these are the tokens that the prompt shares with the beginning of the last.
 */
export type Conclusion = {
  text?: string
  end?: CompletionEnd
  promptTokens?: number | undefined
  completionTokens?: number | undefined
  reusedOf?: (promptTokens: number, sharedTokens: number) => number | null
}

/** The result of a request, once its events have ended. */
export type TextOutcome = StreamedText & Conclusion

/**
 * Prepares one streamed request: phases, time limits, stop sequences, and the end by a user with the text kept.
 * `conclude`: asks the server for more after the text, also after one that a user stopped; may yield more events.
 */
export function streamingRun<Event>(
  input: StreamingRunInput<Event>,
  conclude: (
    streamed: StreamedText,
  ) => Conclusion | Promise<Conclusion> | ModelEvents<Conclusion> = () => ({}),
): Attempt<TextOutcome> {
  const { clock, timeouts, open, read, cut, stop, canStopQueued = false } = input
  const cutter = new StopCutter(input.stops)
  const startedAt = clock.now()
  let readingSince: number | null = null
  let firstTokenAt: number | null = null
  let pieceCount = 0
  let text = ''
  let ended: CompletionEnd | null = null
  let isDeaf = false

  async function tidy<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    if (isDeaf) return null
    const limit = new AbortController()
    const timer = clock.setTimeout(() => limit.abort(new Error('too slow')), tidyMs)
    try {
      return await unlessAborted(ask(limit.signal), limit.signal)
    } catch {
      isDeaf = true
      return null
    } finally {
      timer.cancel()
    }
  }

  async function halt(): Promise<void> {
    if (stop !== undefined && (canStopQueued || readingSince !== null)) await tidy(stop)
  }

  async function* stream(watch: SilenceWatch, signal: AbortSignal): ModelEvents {
    const opening = open(watch.signal)
    if (await isSlow(clock, opening, queuedAfterMs)) yield phase('queued')
    const events = await opening
    readingSince = clock.now()
    yield phase('reading')
    for await (const event of events) {
      const piece = read(event)
      if (piece.text !== '') {
        watch.expect('idle', timeouts.idleMs)
        if (firstTokenAt === null) {
          firstTokenAt = clock.now()
          yield phase('writing')
        }
        pieceCount += 1
        yield* say(cutter.push(piece.text))
      }
      ended = piece.end ?? null
      if (ended !== null || signal.aborted) return
      // The text has a stop sequence that the engine does not know, since there are more than it takes.
      if (cutter.isCut) {
        await halt()
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
      // The server is told to stop before the socket is closed: some go on writing in spite of a closed socket.
      const closing = new AbortController()
      let stopping: Promise<void> | undefined
      const end = () => {
        stopping = halt().then(() => closing.abort(signal.reason))
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
        if (!isSettled && !signal.aborted) await halt()
        await stopping
        watch.close()
      }
      const msTotal = clock.now() - startedAt
      yield* say(cutter.flush())
      const streamed: StreamedText = {
        text,
        end: signal.aborted ? 'aborted' : cutter.isCut ? 'stop-sequence' : (ended ?? 'stop'),
        pieceCount,
        msPrompt: (firstTokenAt ?? clock.now()) - startedAt,
        msReading: firstTokenAt === null || readingSince === null ? null : firstTokenAt - readingSince,
        msTotal,
        tidy,
      }
      const told = await conclude(streamed)
      return { ...streamed, ...(Symbol.asyncIterator in told ? yield* told : told) }
    },
  }
}

function phase(name: 'queued' | 'reading' | 'writing'): ModelEvent {
  return { type: 'phase', phase: name, progress: null }
}
