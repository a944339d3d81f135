import { z } from 'zod'
import type { ModelTimeouts } from '../../../shared/domain/model/model-profile.ts'
import type { CompletionEnd } from '../../../shared/domain/model/model-status.ts'
import type { Clock } from '../../deps.ts'
import type { ModelEvents } from '../client/model-client.ts'
import type { Attempt } from '../client/retry.ts'
import { cutAtStops } from '../completion/stop-cutter.ts'
import {
  type Conclusion,
  type StreamedText,
  streamingRun,
  type TextOutcome,
} from '../completion/streaming-run.ts'
import type { KoboldApi, Perf } from './kobold-api.ts'

/** The first text comes this late however quickly the prompt was read. Source: KoboldCpp 1.76 as measured. */
const firstTextMs = 600
/** Least share of a prompt that is certainly reused; below it, a page that moved may have been kept or not. */
const leastReuse = 0.5

// Before the end 1.76 sends the string "null", newer ones JSON's null.
const Event = z.object({ token: z.string().default(''), finish_reason: z.string().nullish() })

type KoboldRunInput = {
  clock: Clock
  api: KoboldApi
  timeouts: ModelTimeouts
  payload: Record<string, unknown>
  genkey: string
  seed: number
  stops: readonly string[]
}

/** Prepares one `generate/stream` request, from the first byte to the tidying up. */
export function koboldRun(input: KoboldRunInput): Attempt<TextOutcome> {
  const { clock, api, timeouts, payload, genkey, seed, stops } = input

  async function* conclude({ end, tidy, ...streamed }: StreamedText): ModelEvents<Conclusion> {
    let { text } = streamed
    const full = await tidy((signal) => api.checkText(genkey, signal))
    const corrected = correctedText(text, cutAtStops(full ?? '', stops), end === 'aborted')
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
    const isStopSequence = full !== null && cutAtStops(full, stops) !== full
    return {
      text,
      end: endOf(end, isStopSequence, own),
      completionTokens: own?.last_token_count,
      reusedOf: (prompt, shared) => reusedOf(prompt, shared, readBy(own, streamed.msReading)),
    }
  }

  /** Returns how much of the prompt was read, by the server's own speed; null where it does not tell that. */
  function readBy(perf: Perf | null, ms: number | null): ReadTokens | null {
    if (ms === null || !perf?.last_process) return null
    const banned = payload.banned_tokens
    // The server holds text back in which a banned phrase may begin.
    const isHeldBack = Array.isArray(banned) && banned.length > 0
    return { tokens: Math.round(ms / perf.last_process), isAtMost: ms < firstTextMs || isHeldBack }
  }

  return streamingRun(
    {
      clock,
      timeouts,
      stops,
      open: (signal) => api.openEvents('/api/extra/generate/stream', payload, Event, signal),
      read: ({ token, finish_reason: finish }) => ({ text: token, end: endNamed(finish) }),
      cut: () => api.cut(),
      stop: (signal) => api.abortGeneration(genkey, signal),
      // A queued request would run in spite of a closed connection.
      canStopQueued: true,
    },
    conclude,
  )
}

function endNamed(finish: string | null | undefined): CompletionEnd | null {
  if (finish === 'length') return 'length'
  return finish == null || finish === 'null' ? null : 'stop'
}

/** Units: tokens. `isAtMost`: the first text may have come later than the end of the reading. */
type ReadTokens = { tokens: number; isAtMost: boolean }

/** Corrects how a run ended: "length" also means a stop sequence; `perf` tells: 1 is EOS, 2 a stop sequence. */
function endOf(end: CompletionEnd, isStopSequence: boolean, perf: Perf | null): CompletionEnd {
  if (end === 'aborted') return end
  if (isStopSequence || perf?.stop_reason === 2) return 'stop-sequence'
  return end === 'length' && perf?.stop_reason === 1 ? 'stop' : end
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

/**
 * Estimates how much of a prompt the server did not read again. `shared` tells its beginning alone: a server that shifts
 * its cache keeps more, and only the time that it read for shows that. Null where neither tells.
 *
 * Units: tokens.
 */
function reusedOf(prompt: number, shared: number, read: ReadTokens | null): number | null {
  const kept = read === null ? 0 : Math.max(0, prompt - read.tokens)
  if (read !== null && !read.isAtMost) return kept
  const most = Math.max(shared, kept)
  return most < prompt * leastReuse ? null : most
}
