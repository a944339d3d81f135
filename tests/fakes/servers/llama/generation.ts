import { Refusal } from './refusal.ts'
import { type Delta, Shower } from './shower.ts'
import type { Lease, SlotPool } from './slot-pool.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { SpokenToken } from './wording/speech.ts'

/** One token that was said; partial: it ends inside a character, of which nothing is shown yet. */
export type Step = { tokenId: number; predicted: number; deltas: readonly Delta[]; isPartial: boolean }

export type Ending = {
  stopType: 'none' | 'eos' | 'word' | 'limit'
  stoppingWord: string
  isTruncated: boolean
  predicted: number
  /** A character was left unfinished. */
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

/** Tokens that go out in one piece where they take no time: each piece costs a write, a read and turns of the loop. */
const together = 8

/** Says an answer token by token; returns how it ended. Errors: `Refusal` when a shared cache is full. */
export async function* speak(
  utterance: Utterance,
  vocabulary: Vocabulary,
  pool: SlotPool,
): AsyncGenerator<Step, Ending> {
  const { lease } = utterance
  const room = utterance.contextTokens - lease.promptTokens.length
  const limit = utterance.maxTokens < 0 ? room : Math.min(Math.max(1, utterance.maxTokens), room)
  const shower = new Shower(utterance.stops)
  let stopType: Ending['stopType'] = 'limit'
  let isTruncated = false
  let predicted = 0
  for (const token of endless(utterance, vocabulary)) {
    if (token === null || utterance.signal.aborted) break
    if (utterance.tokenMs > 0 || predicted % together === 0) await pause(utterance.tokenMs)
    pool.checkSpace()
    if (lease.isOutOfSpace) throw new Refusal(500, 'Context size has been exceeded.')
    predicted += 1
    lease.predictedTokens = predicted
    const isEnd = token.id === vocabulary.endId
    const isLast = predicted >= limit
    const deltas = isEnd ? shower.rest() : shower.show(token, isLast)
    const isStopped = shower.stoppedBy !== null
    const isSilent = isStopped && deltas.every(({ text }) => text === '')
    if (!isSilent) yield { tokenId: token.id, predicted, deltas, isPartial: shower.isPartial }
    if (isEnd || isStopped) {
      stopType = isEnd ? 'eos' : 'word'
      break
    }
    if (isLast) {
      isTruncated = limit === room && utterance.maxTokens !== predicted
      break
    }
  }
  return {
    stopType: lease.promptTokens.length === 0 ? 'none' : stopType,
    stoppingWord: shower.stoppedBy ?? '',
    isTruncated,
    predicted,
    hasPartialCharacter: shower.isPartial,
    hasNewLine: shower.hasNewLine,
  }
}

/** The answer and the end of turn; without an end the same words again, and null where a limit cut the answer. */
function* endless(utterance: Utterance, vocabulary: Vocabulary): Generator<SpokenToken | null> {
  if (utterance.lease.promptTokens.length === 0) return
  do {
    yield* utterance.tokens
    if (utterance.endsByLimit) yield null
    if (!utterance.ignoresEnd || utterance.tokens.length === 0) yield { id: vocabulary.endId, parts: [] }
  } while (utterance.ignoresEnd)
}

/** Waits, but at most until the client is gone. */
export function pauseWhile(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms <= 0 || gone.aborted) return resolve()
    const timer = setTimeout(resolve, ms)
    gone.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Also lets the server read between two tokens when there is nothing to wait for. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)))
}
