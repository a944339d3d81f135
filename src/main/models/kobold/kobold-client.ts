import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import type { Clock, Random } from '../../deps.ts'
import { attempts } from '../client/attempts.ts'
import {
  type ChatRequest,
  type CompletionRequest,
  type ContextWindow,
  type ModelClient,
  type ModelDescription,
  type ModelEvent,
  type Prompt,
  plainPrompt,
  promptText,
  tooManyToCount,
} from '../client/model-client.ts'
import { acceptedFields } from '../client/sampler-table.ts'
import type { ModelServer } from '../client/server-http.ts'
import {
  breakInPrompt,
  type ControlStrings,
  mendEvents,
  startsOf,
  wireTexts,
  withOwnTokens,
} from '../completion/break-control-strings.ts'
import type { MarkerCheck } from '../completion/marker-check.ts'
import { checkRoom } from '../completion/request-check.ts'
import { inTurn, RequestQueue } from '../completion/request-queue.ts'
import { PromptReuse, usageEvent } from '../completion/request-usage.ts'
import { splitThinking } from '../completion/think-tags.ts'
import { chatCompletion, renderChat } from '../profiles/template-pack.ts'
import { KoboldApi, koboldPayload } from './kobold-api.ts'
import type { KoboldOutcome } from './kobold-run.ts'

export type KoboldClientOptions = Omit<ModelServer, 'clock'> & {
  template: TemplatePack
  /** The user's own figure, which takes precedence over the server's. */
  contextTokens: number | undefined
  /** Strings to break wherever they are not the template's own: the server reads them as tokens in any text. */
  controls: ControlStrings
}

/** Number of chances that the server tells for a token. Source: KoboldCpp's `logprobs_max`. */
const toldChances = 5
const likeliest = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }

/** The smallest count that the server cannot tell. */
const countLimit = 50_000

/**
 * A client for KoboldCpp's native API: one request in flight, one count at a time, no idle sockets.
 *
 * Source: KoboldCpp 1.76 as measured, 1.104 as read.
 */
export class KoboldClient implements ModelClient {
  readonly capabilities = {
    hasCounter: true,
    constraints: ['gbnf', 'json-schema'],
    hasReuseCount: false,
    hasTools: false,
    canBanPhrases: true,
    canBanEnd: true,
    tellsChances: true,
    samplers: acceptedFields('koboldcpp'),
  } as const
  readonly #clock: Clock
  readonly #random: Random
  readonly #options: KoboldClientOptions
  readonly #api: KoboldApi
  readonly #queue = new RequestQueue()
  readonly #counts = new RequestQueue()
  readonly #reuse = new PromptReuse()
  readonly #life = new AbortController()
  /** Control strings known for all models, and those that the model's tokenizer has told. */
  #controls: ControlStrings
  #markerCheck: MarkerCheck | undefined
  #markers: readonly string[] = []
  #modelName: string | null = null

  constructor(deps: { clock: Clock; random: Random }, options: KoboldClientOptions) {
    this.#clock = deps.clock
    this.#random = deps.random
    this.#options = options
    this.#controls = options.controls
    this.#api = new KoboldApi({ ...options, clock: deps.clock })
  }

  get isBusy(): boolean {
    return this.#queue.isBusy
  }

  async describe(signal: AbortSignal): Promise<ModelDescription> {
    const version = await this.#api.version(signal)
    const modelName = await this.#api.modelName(signal)
    if (modelName !== this.#modelName) this.#markerCheck = undefined
    this.#modelName = modelName
    const context = await this.contextWindow(signal)
    return { modelName, version: version.version, context, needsKey: version.protected && modelName === null }
  }

  async contextWindow(signal: AbortSignal): Promise<ContextWindow> {
    const { contextTokens } = this.#options
    const tokens = await this.#api.contextTokens(signal)
    // The server would silently cut a prompt that is larger than its own window.
    if (contextTokens !== undefined && contextTokens < tokens)
      return { tokens: contextTokens, source: 'profile' }
    return { tokens, source: 'server' }
  }

  readonly countTokens = async (
    prompt: string | Prompt,
    signal: AbortSignal,
    { isPiece = false }: { isPiece?: boolean } = {},
  ): Promise<number> => {
    const segments = typeof prompt === 'string' ? plainPrompt(prompt) : prompt
    const text = promptText(breakInPrompt(segments, this.#controls))
    if (text === '') return isPiece ? 0 : 1
    return this.#counts.run('foreground', signal, async () => {
      try {
        // Not every model has a BOS token that could be subtracted from the count of a piece.
        const count = await this.#api.countTokens(text, !isPiece, signal)
        return count === 0 ? tooManyToCount : count
      } catch (error) {
        if (signal.aborted || isAppError(error, 'model/unauthorized')) throw error
        throw new AppError({ code: 'tokens/unreachable' }, { cause: error })
      }
    })
  }

  readonly countChat = (
    { messages }: Pick<ChatRequest, 'messages'>,
    signal: AbortSignal,
  ): Promise<number> => {
    return this.countTokens(renderChat(this.#options.template, messages), signal)
  }

  readonly nextWords: NonNullable<ModelClient['nextWords']> = async ({ prompt }, userSignal) => {
    const signal = AbortSignal.any([userSignal, this.#life.signal])
    return this.#queue.run('foreground', signal, async () => {
      const { tokens } = await this.contextWindow(signal)
      await this.#learnMarkers(prompt, signal)
      const genkey = `tsugi-${this.#random.id().slice(0, 12)}`
      const request = { prompt, sampler: likeliest, maxTokens: 1, stops: [], seed: 1 }
      const payload = koboldPayload(request, genkey, tokens, this.#controls)
      const { firstTokenMs } = this.#options.timeouts
      const chances = await this.#api.firstChances(payload, signal, firstTokenMs)
      if (chances.length === 0) throw new AppError({ code: 'model/no-probabilities' })
      const told = chances.map(({ token, logprob }, id) => ({
        id,
        bytes: [...new TextEncoder().encode(token)],
        share: Math.exp(logprob),
      }))
      // A token that ends within a character comes without that character, and the end without a text.
      const { wholeWords } = await import('../completion/next-words.ts')
      const words = await wholeWords(told, async () => null)
      const untold = chances.filter(({ token }) => token === '').length
      return { words, limit: toldChances, untold, promptTokens: null, reusedTokens: null }
    })
  }

  complete(request: CompletionRequest, userSignal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    const signal = AbortSignal.any([userSignal, this.#life.signal])
    const events = inTurn(this.#queue, request, signal, (until) => this.#generate(request, until))
    return mendEvents(events, () => startsOf(this.#markers))
  }

  chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    return splitThinking(this.complete(chatCompletion(request, this.#options.template), signal))
  }

  async dispose(): Promise<void> {
    this.#life.abort(new Error('disposed'))
  }

  async *#generate(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    // Loaded with the first request, not at the start of the host.
    const { KoboldRun } = await import('./kobold-run.ts')
    const context = await this.contextWindow(signal)
    const counted = request.promptTokens ?? (await this.countTokens(request.prompt, signal))
    const promptTokens = counted === tooManyToCount ? countLimit : counted
    checkRoom(promptTokens, request.maxTokens, context)
    const genkey = `tsugi-${this.#random.id().slice(0, 12)}`
    await this.#learnMarkers(request.prompt, signal)
    const payload = koboldPayload(request, genkey, context.tokens, this.#controls)
    const prompt = promptText(request.prompt)
    const sharedTokens = this.#reuse.estimate(prompt, promptTokens)
    this.#reuse.remember(prompt, '')
    const { timeouts } = this.#options
    const { seed, stops } = request
    const outcome = yield* attempts(
      this.#clock,
      signal,
      () => new KoboldRun({ clock: this.#clock, api: this.#api, timeouts, payload, genkey, seed, stops }),
    )
    this.#reuse.remember(prompt, outcome.text)
    yield usageEvent({
      promptTokens,
      reusedTokens: reusedOf(promptTokens, sharedTokens, outcome.read),
      isReuseEstimated: true,
      completionTokens: outcome.completionTokens,
      msPrompt: outcome.msPrompt,
      msTotal: outcome.msTotal,
      isExact: outcome.isExact && request.isPromptEstimated !== true,
    })
    yield { type: 'done', stopReason: outcome.end }
  }

  /** Finds control tokens in the texts of a prompt, so that they are broken when the prompt is sent. */
  async #learnMarkers(prompt: Prompt, signal: AbortSignal): Promise<void> {
    const controlsWith = (known: readonly string[]) => withOwnTokens(this.#options.controls, [], known)
    this.#markerCheck ??= await this.#newMarkerCheck()
    const check = this.#markerCheck
    this.#markers = await check.learn((known) => wireTexts(prompt, controlsWith(known)), signal)
    this.#controls = controlsWith(this.#markers)
  }

  async #newMarkerCheck(): Promise<MarkerCheck> {
    // Loaded with the first request, not at the start of the host.
    const { MarkerCheck } = await import('../completion/marker-check.ts')
    const { koboldMarkers } = await import('./kobold-markers.ts')
    return new MarkerCheck(koboldMarkers(this.#api, this.#counts))
  }
}

/** Least share of a prompt that is certainly reused; below it, a page that moved may have been kept or not. */
const leastReuse = 0.5

/**
 * Estimates how much of a prompt the server did not read again. `shared` tells its beginning alone: a server that shifts
 * its cache keeps more, and only the time that it read for shows that. Null where neither tells.
 *
 * Units: tokens.
 */
function reusedOf(prompt: number, shared: number, read: KoboldOutcome['read']): number | null {
  const kept = read === null ? 0 : Math.max(0, prompt - read.tokens)
  if (read !== null && !read.isAtMost) return kept
  const most = Math.max(shared, kept)
  return most < prompt * leastReuse ? null : most
}
