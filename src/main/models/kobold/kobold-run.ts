import { z } from 'zod'
import { isSlow } from '../../../shared/delay.ts'
import type { ModelTimeouts } from '../../../shared/domain/model/model-profile.ts'
import type { CompletionEnd } from '../../../shared/domain/model/model-status.ts'
import { isAppError } from '../../../shared/errors.ts'
import { parseJson } from '../../../shared/text/json.ts'
import type { Clock } from '../../deps.ts'
import type { ModelEvent, ModelEvents } from '../client/model-client.ts'
import type { Attempt } from '../client/retry.ts'
import { SilenceWatch } from '../completion/silence-watch.ts'
import { cutAtStops, StopCutter } from '../completion/stop-cutter.ts'
import type { KoboldApi, Perf } from './kobold-api.ts'

/** Time limit of requests that tidy up after a generation, so that they do not delay its end for long. */
const tidyMs = 2_000
/** Headers come only when the model is free: without them after this time, other requests are being served. */
const queuedAfterMs = 300
/** The first text comes this late however quickly the prompt was read. Source: KoboldCpp 1.76 as measured. */
const firstTextMs = 600

type KoboldRunInput = {
  clock: Clock
  api: KoboldApi
  timeouts: ModelTimeouts
  payload: Record<string, unknown>
  genkey: string
  seed: number
  stops: readonly string[]
}

/** The result of a run, once its events have ended. */
export type KoboldOutcome = {
  text: string
  end: CompletionEnd
  completionTokens: number
  isExact: boolean
  msPrompt: number
  msTotal: number
  /**
   * Tokens of the prompt that were read, by the server's own speed; null where it does not tell that. `isAtMost`: the
   * first text may have come later than the end of the reading.
   */
  read: { tokens: number; isAtMost: boolean } | null
}

/** Prepares one `generate/stream` request, from the first byte to the tidying up. */
export function koboldRun(input: KoboldRunInput): Attempt<KoboldOutcome> {
  const { clock, api, timeouts, payload, genkey, seed, stops } = input
  const cutter = new StopCutter(stops)
  const startedAt = clock.now()
  let readingSince: number | null = null
  let firstTokenAt: number | null = null
  let finish: string | null = null
  let eventCount = 0
  let text = ''
  let isDeaf = false

  async function* stream(watch: SilenceWatch, signal: AbortSignal): ModelEvents {
    const opening = api.open('/api/extra/generate/stream', payload, watch.signal)
    if (await isSlow(clock, opening, queuedAfterMs)) yield phase('queued')
    const reply = await opening
    readingSince = clock.now()
    yield phase('reading')
    for await (const event of readKoboldStream(reply.pieces, (reason) => api.badResponse(reason))) {
      finish = event.finish
      if (event.token === '') continue
      watch.expect('idle', timeouts.idleMs)
      if (firstTokenAt === null) {
        firstTokenAt = clock.now()
        yield phase('writing')
      }
      eventCount += 1
      const shown = cutter.push(event.token)
      text += shown
      if (shown !== '') yield { type: 'text', text: shown }
      if (cutter.isCut && event.finish === null) {
        // The text has a stop sequence that the engine does not know, since there are more than it takes.
        await abort()
        return
      }
      if (signal.aborted) return
    }
    if (finish === null && !signal.aborted) throw api.cut()
  }

  async function* conclude(isAborted: boolean): ModelEvents<KoboldOutcome> {
    const msTotal = clock.now() - startedAt
    const rest = cutter.flush()
    text += rest
    if (rest !== '') yield { type: 'text', text: rest }
    const full = await tidy((signal) => api.checkText(genkey, signal))
    const corrected = correctedText(text, cutAtStops(full ?? '', stops), isAborted)
    if (corrected !== text) {
      text = corrected
      yield { type: 'replace', text }
    }
    const perf = await tidy((signal) => api.perf(signal))
    // Another client's generation may have run in between.
    const own = perf !== null && perf.last_seed === seed ? perf : null
    if (payload.logprobs === true) {
      const told = await tidy((signal) => api.lastChances(genkey, signal))
      for (const chance of told ?? []) yield { type: 'chance', ...chance }
    }
    const isStopSequence = cutter.isCut || (full !== null && cutAtStops(full, stops) !== full)
    return {
      text,
      end: isAborted ? 'aborted' : endOf(finish, isStopSequence, own),
      completionTokens: own?.last_token_count ?? eventCount,
      isExact: own !== null,
      msPrompt: (firstTokenAt ?? clock.now()) - startedAt,
      msTotal,
      read: readBy(own),
    }
  }

  function readBy(perf: Perf | null): KoboldOutcome['read'] {
    if (readingSince === null || firstTokenAt === null || !perf?.last_process) return null
    const ms = firstTokenAt - readingSince
    const banned = payload.banned_tokens
    // The server holds text back in which a banned phrase may begin.
    const isHeldBack = Array.isArray(banned) && banned.length > 0
    return { tokens: Math.round(ms / perf.last_process), isAtMost: ms < firstTextMs || isHeldBack }
  }

  const abort = () => tidy((signal) => api.abortGeneration(genkey, signal))

  /** Runs a request after the text is complete. A failure gives null, and no more requests are made. */
  async function tidy<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    if (isDeaf) return null
    const limit = new AbortController()
    const timer = clock.setTimeout(() => limit.abort(new Error('too slow')), tidyMs)
    try {
      return await ask(limit.signal)
    } catch {
      isDeaf = true
      return null
    } finally {
      timer.cancel()
    }
  }

  return {
    get hasBegun() {
      return firstTokenAt !== null
    },
    async *events(signal) {
      signal.throwIfAborted()
      // The server is told to stop before the socket is closed: a queued request would run in spite of a closed socket.
      const cut = new AbortController()
      let stopping: Promise<void> | undefined
      const stop = () => {
        stopping = abort().then(() => cut.abort(signal.reason))
      }
      signal.addEventListener('abort', stop, { once: true })
      const watch = new SilenceWatch(clock, cut.signal)
      watch.expect('first-token', timeouts.firstTokenMs)
      let isSettled = false
      try {
        yield* stream(watch, signal)
        isSettled = true
      } catch (error) {
        isSettled = !isAppError(error, 'model/timeout')
        if (!signal.aborted) throw error
      } finally {
        signal.removeEventListener('abort', stop)
        // The reader left, or the server was silent for too long: the server may still be writing.
        if (!isSettled && !signal.aborted) await abort()
        await stopping
        watch.close()
      }
      return yield* conclude(signal.aborted)
    },
  }
}

/** Returns how a run ended. "length" also means a stop sequence; `perf` tells: 1 is EOS, 2 a stop sequence. */
function endOf(finish: string | null, isStopSequence: boolean, perf: Perf | null): CompletionEnd {
  if (isStopSequence || perf?.stop_reason === 2) return 'stop-sequence'
  return finish === 'length' && perf?.stop_reason !== 1 ? 'length' : 'stop'
}

/**
 * Returns the server's own record in place of the streamed text, where they differ only by lost characters.
 *
 * Source: KoboldCpp 1.76 as measured, Character loss with BPE models.
 */
export function correctedText(shown: string, full: string, isPartial: boolean): string {
  let at = 0
  for (const unit of shown) {
    const found = full.indexOf(unit, at)
    if (found === -1) return shown
    at = found + unit.length
  }
  return isPartial ? full.slice(0, at) : full === '' ? shown : full
}

function phase(name: 'queued' | 'reading' | 'writing'): ModelEvent {
  return { type: 'phase', phase: name, progress: null }
}

/** One event of KoboldCpp's stream. `finish` is null until the last. */
export type KoboldStreamEvent = { token: string; finish: string | null }

// Before the end 1.76 sends the string "null", newer ones JSON's null.
const Event = z.object({ token: z.string().default(''), finish_reason: z.string().nullish() })

const longestEventChars = 1_000_000

/**
 * Reads server-sent events; ends with the first that has a finish reason, or with the stream.
 *
 * Shape: `onGarbage` makes the error for data that is not an event of this server.
 */
export async function* readKoboldStream(
  pieces: AsyncIterable<Uint8Array>,
  onGarbage: (reason: string) => Error,
): AsyncGenerator<KoboldStreamEvent, void, void> {
  let hasEvent = false
  let received = ''
  const decoder = new TextDecoder()
  for await (const piece of pieces) {
    received += decoder.decode(piece, { stream: true })
    const blocks = received.split(/\r?\n\r?\n/)
    received = blocks.pop() ?? ''
    if (received.length > longestEventChars) throw onGarbage('an event without end')
    for (const block of blocks) {
      const event = readEvent(block, onGarbage)
      if (event === null) continue
      hasEvent = true
      yield event
      if (event.finish !== null) return
    }
  }
  if (!hasEvent && received.trim() !== '') throw onGarbage(`no event: ${received.slice(0, 80)}`)
}

function readEvent(block: string, onGarbage: (reason: string) => Error): KoboldStreamEvent | null {
  const data = block
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .join('\n')
  if (data === '' || data === '[DONE]') return null
  const value = parseJson(data)
  if (value === undefined) throw onGarbage(`no JSON in an event: ${data.slice(0, 80)}`)
  const parsed = Event.safeParse(value)
  if (!parsed.success) throw onGarbage(`an event of another kind: ${data.slice(0, 80)}`)
  const { token, finish_reason: finish } = parsed.data
  return { token, finish: finish === 'null' || finish === undefined ? null : finish }
}
