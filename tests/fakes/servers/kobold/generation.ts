import { sharedLength } from '../../../../src/shared/text/difference/text-similarity.ts'
import type { FakeKobold, LoggedRequest } from '../fake-kobold.ts'
import { tokenize } from '../fake-tokenizer.ts'
import {
  type Generation,
  holdBack,
  outputLimit,
  type Payload,
  printed,
  promptTokens,
  speak,
  trimAtStop,
} from './fake-model.ts'
import { shiftedLength } from './shifted-length.ts'

/** More stop sequences than this never reach the engine, though `trim_stop` cuts by all. */
const engineStopLimit = 32

type Waiting = { genkey: string; isAborted: boolean; start: () => void }
export type Turn = { leave(): void }
export type Generated = {
  reply: { text: string; finish_reason: 'stop' | 'length' }
  /** What the stream has not sent yet; it goes with the last event. */
  unsent: string
}

/** The model with its lock: one generation, a short queue, and the state that check, abort and perf report. */
export class Generator {
  readonly #fake: FakeKobold
  readonly #startedAt = Date.now()
  #idleSince = Date.now()
  #isBusy = false
  #waiting: Waiting[] = []
  #abortedInQueue = new Set<string>()
  #cache: string[] = []
  #readTokens = 0
  #total = 0
  current: Generation | null = null

  constructor(fake: FakeKobold) {
    this.#fake = fake
  }

  /** Null: the queue is full. */
  async enter(genkey: string): Promise<Turn | null> {
    if (this.#isBusy) {
      if (this.#waiting.length >= (this.#fake.options.queueLimit ?? 6)) return null
      await new Promise<void>((start) => {
        this.#waiting.push({ genkey, isAborted: false, start })
      })
    }
    this.#isBusy = true
    let hasLeft = false
    return {
      leave: () => {
        if (hasLeft) return
        hasLeft = true
        const next = this.#waiting.shift()
        if (next === undefined) {
          this.#isBusy = false
          return
        }
        if (next.isAborted) this.#abortedInQueue.add(next.genkey)
        next.start()
      },
    }
  }

  async generate(payload: Payload, logged: LoggedRequest, send: (piece: string) => void): Promise<Generated> {
    const { contextTokens = 2048, promptTokenMs = 0, answer } = this.#fake.options
    const { tokens, isCut } = promptTokens(payload, contextTokens)
    const shared = this.#fake.options.shiftsCache
      ? shiftedLength(tokens, this.#cache, { contextTokens, outputTokens: payload.max_length })
      : sharedLength(tokens, this.#cache)
    this.#readTokens = tokens.length - shared
    logged.generation = { payload, promptTokens: tokens.length, sharedTokens: shared, isCut }
    const now: Generation = {
      genkey: payload.genkey,
      text: '',
      tokens: 0,
      stopReason: 0,
      seed: payload.sampler_seed,
      isAborted: this.#abortedInQueue.delete(payload.genkey),
      isRunning: true,
    }
    this.current = now
    await pause((tokens.length - shared) * promptTokenMs)
    const limit = outputLimit(payload, Math.min(payload.max_context_length, contextTokens))
    const unsent = await this.#write(payload, now, limit, answer, send)
    this.#cache = [...tokens, ...tokenize(now.text)]
    this.#total += 1
    this.#idleSince = Date.now()
    now.isRunning = false
    const text = payload.trim_stop ? trimAtStop(now.text, payload.stop_sequence) : now.text
    return { reply: { text, finish_reason: now.stopReason === 1 ? 'stop' : 'length' }, unsent }
  }

  async #write(
    payload: Payload,
    now: Generation,
    limit: number,
    answer: Parameters<typeof speak>[1],
    send: (piece: string) => void,
  ): Promise<string> {
    const { cutAfterTokens, hangAfterTokens, diesAfterTokens, losesCharacters = '' } = this.#fake.faults
    const end = Math.min(limit, cutAfterTokens ?? limit, hangAfterTokens ?? limit)
    const engineStops = payload.stop_sequence.slice(0, engineStopLimit).filter((stop) => stop !== '')
    let shown = ''
    let unsent = ''
    for (const token of speak(payload, answer, this.#fake.options.grammarAnswer)) {
      if (now.isAborted || now.tokens >= end) break
      if (token === null && payload.ban_eos_token && payload.logit_bias['2'] === undefined) continue
      now.tokens += 1
      now.text += printed(token, payload)
      if (token === null && !payload.bypass_eos && !payload.ban_eos_token) {
        now.stopReason = 1
        break
      }
      if (diesAfterTokens !== undefined && now.tokens >= diesAfterTokens) {
        this.#fake.die()
        break
      }
      const isStopped = engineStops.some((stop) => now.text.includes(stop))
      if (isStopped) now.stopReason = 2
      const all = payload.trim_stop ? trimAtStop(now.text, payload.stop_sequence) : now.text
      const safe = payload.trim_stop && !isStopped ? holdBack(all, payload.stop_sequence) : all
      if (unsent !== '') send(unsent)
      unsent = [...safe.slice(shown.length)].filter((char) => !losesCharacters.includes(char)).join('')
      shown = safe.length > shown.length ? safe : shown
      if (isStopped) break
      // Read anew for each token: a test may hurry it on.
      await pause(this.#fake.options.tokenMs ?? 0)
    }
    return unsent
  }

  /** Returns the text of the generation with this key; without a key only where no request waits and none had a key. */
  checkText(genkey: string): string {
    const { current } = this
    if (current === null || current.genkey !== genkey) return ''
    return genkey === '' && this.#waiting.length > 0 ? '' : current.text
  }

  async abort(genkey: string): Promise<{ success: boolean; done: boolean }> {
    const { current } = this
    const isAnyones = genkey === '' && this.#waiting.length === 0
    if (isAnyones || (genkey !== '' && current?.genkey === genkey)) {
      if (current !== null) current.isAborted = true
      await pause(this.#fake.options.isPaced === true ? 100 : 0)
      while (this.current?.isRunning === true && this.current.isAborted) await pause(1)
      return { success: true, done: true }
    }
    const queued = this.#waiting.find((entry) => genkey !== '' && entry.genkey === genkey)
    if (queued !== undefined) queued.isAborted = true
    return { success: queued !== undefined, done: false }
  }

  abortAll(): void {
    if (this.current !== null) this.current.isAborted = true
    for (const entry of this.#waiting) entry.isAborted = true
  }

  /** A stream's reader has gone. */
  stopIfRunning(genkey: string): void {
    if (this.current?.isRunning === true && this.current.genkey === genkey) this.current.isAborted = true
  }

  perf(): Record<string, unknown> {
    const last = this.current?.isRunning === false ? this.current : null
    return {
      last_process: this.#readTokens > 0 ? (this.#fake.options.promptTokenMs ?? 0) : 0,
      last_eval: last === null ? 0 : 4.25,
      last_token_count: last?.tokens ?? 0,
      last_seed: last?.seed ?? -1,
      total_gens: this.#total,
      stop_reason: last?.stopReason ?? -1,
      total_img_gens: 0,
      queue: this.#waiting.length,
      idle: this.#isBusy ? 0 : 1,
      hordeexitcounter: -1,
      uptime: (Date.now() - this.#startedAt) / 1000,
      idletime: (Date.now() - this.#idleSince) / 1000,
      quiet: true,
    }
  }
}

/** Also lets the server read between two tokens when there is nothing to wait for. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)))
}
