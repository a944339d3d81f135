import { z } from 'zod'
import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { ChatRequest, ContextWindow, Prompt } from '../client/model-client.ts'
import type { OpenaiFacts } from '../client/openai-facts.ts'
import { OpenaiHttp } from '../client/openai-http.ts'
import type { ModelServer } from '../client/server-http.ts'
import { type ControlStrings, startsOf, withOwnTokens } from '../completion/break-control-strings.ts'
import type { MarkerCheck } from '../completion/marker-check.ts'
import { identifyServer } from '../discovery/identify-server.ts'
import type { NamesTell } from '../discovery/known-models.ts'
import type { CacheMarks } from './cache-marks.ts'
import { type Dialect, dialects } from './openai-flavour.ts'
import { type PayloadFrame, wireMessages, wirePrompt, wireTools } from './openai-payload.ts'

export type OpenaiServerOptions = ModelServer &
  CacheMarks & {
    model: string
    /** Undefined: found out with the first request. */
    flavour: OpenaiFlavour | undefined
    /** The user's own figure, used where it is smaller than the server's. */
    contextTokens: number | undefined
    controls: ControlStrings
    /** The user's own setting. */
    takesImages?: boolean | undefined
  } & Partial<NamesTell>

/** Context window where neither the server nor the name of the model tells it; an overflow corrects it. */
const assumedTokens = 32_768
/** Least context window that is concluded from refusals for length. */
const leastTokens = 2_048

const Tokens = z.object({ tokens: z.array(z.unknown()) })
const Applied = z.object({ prompt: z.string() })
const InputTokens = z.object({ input_tokens: z.number().int().min(0) })

async function isOwn(address: string): Promise<boolean> {
  const { isOwnPlace } = await import('../../../shared/suggestion/single-slot.ts')
  return isOwnPlace(address)
}

/** A server and one of its models: known facts, and requests other than for text. */
export class OpenaiServer {
  readonly http: OpenaiHttp
  readonly #options: OpenaiServerOptions
  readonly #refused = new Set<string>()
  #flavour: OpenaiFlavour | undefined
  #facts: OpenaiFacts | undefined
  /** Control strings known for all models, with the model's own once the server has told them. */
  #controls: ControlStrings
  #markers: readonly string[] = []
  #markerCheck: MarkerCheck | undefined
  /** The context window that refusals for length have shown. Units: tokens. */
  #mostTokens: number | undefined

  constructor(options: OpenaiServerOptions) {
    this.#options = options
    this.#controls = options.controls
    this.#flavour = options.flavour
    this.http = new OpenaiHttp(options)
  }

  /** The server's dialect; that of a server not known yet has the least abilities. */
  get dialect(): Dialect {
    return dialects[this.#flavour ?? 'other']
  }

  /** The facts that the server gave last; undefined before it was asked. */
  get facts(): OpenaiFacts | undefined {
    return this.#facts
  }

  get frame(): PayloadFrame {
    const { model, hasCacheMarks, cacheKeyField } = this.#options
    const controls = this.#controls
    const flavour = this.#flavour ?? 'other'
    return { flavour, model, controls, refused: this.#refused, hasCacheMarks, cacheKeyField }
  }

  /** Whether the model takes images, by the user's setting, else by the server, else by the model's name. */
  get hasImages(): boolean {
    const { takesImages, namesImages, model } = this.#options
    return takesImages ?? this.#facts?.hasImages ?? namesImages?.(model) ?? false
  }

  /** Leaves a field out of all later requests. Returns false where it was left out already. */
  leaveOut(field: string): boolean {
    const isNew = !this.#refused.has(field)
    this.#refused.add(field)
    return isNew
  }

  /** Asks the server again for its facts. Errors: `model/…`. */
  async ask(signal: AbortSignal): Promise<OpenaiFacts> {
    this.#flavour ??= await this.#identify(signal)
    const { model, timeouts } = this.#options
    const before = this.#facts
    const ask = { http: this.http, model, signal, loadMs: timeouts.firstTokenMs, before }
    // Loaded when a server is asked, not at the start of the host.
    const { readOpenaiFacts } = await import('../client/read-openai-facts.ts')
    const facts = await readOpenaiFacts(this.#flavour, ask)
    // A model that was unloaded meanwhile will be loaded as it was.
    const ownTokens = facts.ownTokens.length > 0 ? facts.ownTokens : (before?.ownTokens ?? [])
    this.#facts = { ...facts, ownTokens, contextTokens: facts.contextTokens ?? before?.contextTokens ?? null }
    if (before !== undefined && before.modelName !== facts.modelName) {
      this.#markers = []
      this.#markerCheck = undefined
    }
    this.#control()
    return this.#facts
  }

  /** Characters after which control tokens of this model were broken. */
  get markerStarts(): ReadonlySet<string> {
    return startsOf([...this.#markers, ...(this.#facts?.ownTokens ?? [])])
  }

  /**
   * Finds out which strings of a request are control tokens: by the model's tokenizer, or by their form where the
   * user's own server gives no access to it. Texts to an unknown service on the internet are not checked.
   *
   * Shape: `textsWith` returns the texts as they would be sent. Returns true where they have to be made anew.
   */
  async learnMarkers(
    textsWith: (controls: ControlStrings) => Iterable<string>,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.#flavour === 'ollama' && this.#facts?.vocabulary !== undefined) return false
    if (this.#flavour === 'other' && !(await isOwn(this.http.address))) return false
    this.#markerCheck ??= await this.#newMarkerCheck()
    const check = this.#markerCheck
    const markers = await check.learn((known) => textsWith(this.#controlsWith(known)), signal)
    if (markers.join('\n') === this.#markers.join('\n')) return false
    this.#markers = markers
    this.#control()
    return true
  }

  /** Returns the facts; asks the server unless it was asked before. */
  async know(signal: AbortSignal): Promise<OpenaiFacts> {
    return this.#facts ?? this.ask(signal)
  }

  async contextWindow(signal: AbortSignal): Promise<ContextWindow> {
    // A service on the internet does not change its models' windows between two requests.
    return this.windowOf(this.#flavour === 'other' ? await this.know(signal) : await this.ask(signal))
  }

  /** Returns the smallest window of the user's and the server's; else that by the model's name; else an assumption. */
  windowOf(facts: OpenaiFacts | undefined): ContextWindow {
    const { contextTokens: own, model, windowOfName } = this.#options
    const told = Math.min(facts?.contextTokens ?? Infinity, this.#mostTokens ?? Infinity)
    if (own !== undefined && own < told) return { tokens: own, source: 'profile' }
    if (told !== Infinity) return { tokens: told, source: 'server' }
    const named = windowOfName?.(model) ?? null
    return named === null ? { tokens: assumedTokens, source: 'assumed' } : { tokens: named, source: 'name' }
  }

  /**
   * Returns how many requests of so many tokens the server handles at the same time. Slots of llama.cpp may share one
   * cache, and when that overflows all of them fail: so all requests together must fit into the window of one slot.
   */
  async requestsAtOnce(tokens: number, signal: AbortSignal): Promise<number> {
    const facts = await this.know(signal)
    if (this.dialect.isBatching) return Number.POSITIVE_INFINITY
    if (this.#flavour === 'other' && !(await isOwn(this.http.address))) return Number.POSITIVE_INFINITY
    const window = this.windowOf(facts).tokens
    return Math.max(1, Math.min(facts.slots ?? 1, Math.floor(window / Math.max(1, tokens))))
  }

  /**
   * Learns from a refusal for length, and returns the context window to use from now on. `limitTokens`: 0 where the
   * server does not tell its window.
   */
  noteOverflow(limitTokens: number): number {
    const { tokens, source } = this.windowOf(this.#facts)
    if (limitTokens > 0) this.#mostTokens = Math.min(limitTokens, this.#mostTokens ?? Infinity)
    else if (source !== 'server' || this.#mostTokens !== undefined)
      this.#mostTokens = Math.max(leastTokens, Math.floor(tokens / 2))
    return this.windowOf(this.#facts).tokens
  }

  async countTokens(prompt: string | Prompt, isPiece: boolean, signal: AbortSignal): Promise<number> {
    const { model } = this.#options
    const content = wirePrompt(prompt, this.#controls)
    const body = { model, content, add_special: !isPiece, parse_special: true }
    const ask = this.http.post('/tokenize', body, Tokens, signal).then(({ tokens }) => tokens.length)
    const count = await this.http.counted(ask, signal)
    // An empty prompt cannot be sent; a whole prompt has at least one token.
    return isPiece ? count : Math.max(1, count)
  }

  async countChat(
    { messages, tools = [] }: Pick<ChatRequest, 'messages' | 'tools'>,
    signal: AbortSignal,
  ): Promise<number> {
    const { model } = this.#options
    const body = {
      model,
      messages: wireMessages(messages, this.#controls, undefined, this.#refused),
      ...(tools.length > 0 && { tools: wireTools(tools, this.#controls) }),
    }
    return this.http.counted(this.#inputTokens(body, signal), signal)
  }

  #control(): void {
    this.#controls = this.#controlsWith(this.#markers)
  }

  #controlsWith(markers: readonly string[]): ControlStrings {
    return withOwnTokens(this.#options.controls, this.#facts?.ownTokens ?? [], markers)
  }

  async #newMarkerCheck(): Promise<MarkerCheck> {
    // Loaded with the first request, not at the start of the host.
    const { MarkerCheck, markersByForm } = await import('../completion/marker-check.ts')
    const { model } = this.#options
    const { llamaMarkers, vllmMarkers } = await import('./openai-markers.ts')
    if (this.#flavour === 'llama.cpp') return new MarkerCheck(llamaMarkers(this.http, model))
    if (this.#flavour === 'vllm') return new MarkerCheck(vllmMarkers(this.http, model))
    return new MarkerCheck(markersByForm)
  }

  async #identify(signal: AbortSignal): Promise<OpenaiFlavour> {
    const found = await identifyServer(this.#options, signal)
    if (found.backend === 'openai') return found.flavour
    throw this.http.badResponse('a KoboldCpp: add it as one')
  }

  async #inputTokens(body: object, signal: AbortSignal): Promise<number> {
    try {
      const path = `${this.http.apiPath}/chat/completions/input_tokens`
      return (await this.http.post(path, body, InputTokens, signal)).input_tokens
    } catch (error) {
      if (!isAppError(error, 'model/bad-response')) throw error
      // Older versions have no such path, but apply their template by itself.
      const { prompt } = await this.http.post('/apply-template', body, Applied, signal)
      const content = { content: prompt, add_special: true, parse_special: true }
      return (await this.http.post('/tokenize', content, Tokens, signal)).tokens.length
    }
  }
}
