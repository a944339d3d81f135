import type { Continuation } from '../../../shared/domain/model/model-profile.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import { TokenEstimate } from '../../tokens/token-estimate.ts'
import { attempts } from '../client/attempts.ts'
import {
  type ChatRequest,
  type CompletionRequest,
  type ContextWindow,
  type ModelCapabilities,
  type ModelClient,
  type ModelDescription,
  type ModelEvent,
  type Priority,
  promptText,
} from '../client/model-client.ts'
import { refusedField, SchemaRefusals } from '../client/openai-faults.ts'
import { acceptedFields } from '../client/sampler-table.ts'
import type { BegunLine } from '../completion/answer-text.ts'
import { type ControlStrings, mendEvents, wireTexts } from '../completion/break-control-strings.ts'
import { checkRoom } from '../completion/request-check.ts'
import { inTurn, type RequestQueue } from '../completion/request-queue.ts'
import { PromptReuse, usageEvent } from '../completion/request-usage.ts'
import { withoutPhrases } from '../completion/without-phrases.ts'
import { readImages } from './chat-images.ts'
import { chatBody, completionAsChat, completionBody, isOptionalField, wireParts } from './openai-payload.ts'
import { type OpenaiOutcome, OpenaiRun } from './openai-run.ts'
import { OpenaiServer, type OpenaiServerOptions } from './openai-server.ts'
import {
  completionTrial,
  continuesAnswers,
  continuesPrompts,
  endsInCall,
  prefillTrial,
  toolTrial,
} from './openai-trials.ts'

export type OpenaiClientOptions = Omit<OpenaiServerOptions, 'clock'> & {
  /** The finding of a test, for servers that do not tell it. */
  canCallTools: boolean | undefined
  /** The finding of a trial. */
  continuation?: Continuation | undefined
}

type Asked = {
  request: ChatRequest | CompletionRequest
  /** Builds the request anew for each attempt: a field that was refused is left out of the next. */
  open: (signal: AbortSignal) => Promise<AsyncIterable<unknown>>
  /** The prompt as one text, to estimate figures that a server does not tell. */
  text: string
  begun: BegunLine | null
  count: () => Promise<number>
}

/**
 * A client for servers with OpenAI's API: llama.cpp, Ollama, LM Studio, vLLM, OpenAI and others, each in its dialect.
 *
 * Shape: `capabilities` are certain once `learn` or `describe` has returned.
 * Source: llama-server as measured; `openai-flavour.ts` for the others.
 */
export class OpenaiClient implements ModelClient {
  readonly #clock: Clock
  readonly #options: OpenaiClientOptions
  readonly #server: OpenaiServer
  readonly #queue: RequestQueue
  readonly #reuse = new PromptReuse()
  readonly #estimate = new TokenEstimate()
  readonly #life = new AbortController()
  readonly #schemas = new SchemaRefusals()
  #canCallTools: boolean | undefined
  #continuation: Continuation | undefined

  /** `queue`: shared by all clients of one model on one server. */
  constructor(deps: { clock: Clock; queue: RequestQueue }, options: OpenaiClientOptions) {
    this.#clock = deps.clock
    this.#queue = deps.queue
    this.#options = options
    this.#canCallTools = options.canCallTools
    this.#continuation = options.continuation
    this.#server = new OpenaiServer({ ...options, clock: deps.clock })
  }

  get isBusy(): boolean {
    return this.#queue.isBusy
  }

  get capabilities(): ModelCapabilities {
    const { dialect, facts } = this.#server
    return {
      hasCounter: dialect.hasCounter,
      constraints: this.#schemas.isTotal ? [] : dialect.hasGbnf ? ['gbnf', 'json-schema'] : ['json-schema'],
      hasReuseCount: dialect.hasReuseCount,
      canBanPhrases: dialect.completion === 'llama',
      canBanEnd: dialect.canBanEnd,
      tellsChances: dialect.completion === 'llama',
      samplers: acceptedFields(this.#server.frame.flavour),
      hasImages: this.#server.hasImages,
      hasTools: facts?.hasTools ?? this.#canCallTools ?? false,
    }
  }

  get countTokens(): ModelClient['countTokens'] {
    return this.#server.dialect.hasCounter ? this.#countTokens : null
  }

  get countChat(): ModelClient['countChat'] {
    return this.#server.dialect.hasCounter ? this.#countChat : null
  }

  async learn(signal: AbortSignal): Promise<void> {
    try {
      await this.#server.know(signal)
    } catch (error) {
      // The request itself will report the error.
      if (!signal.aborted && !(error instanceof AppError)) throw error
    }
  }

  async tryTools(priority: Priority, userSignal: AbortSignal): Promise<boolean | null> {
    const signal = AbortSignal.any([userSignal, this.#life.signal])
    const { hasTools } = await this.#server.ask(signal)
    if (hasTools !== null) return hasTools
    const request = { ...toolTrial, priority }
    const answer = inTurn(this.#queue, request, signal, (until) => this.#chat(request, true, until))
    const canCallTools = await endsInCall(answer)
    signal.throwIfAborted()
    if (canCallTools !== null) this.#canCallTools = canCallTools
    return canCallTools
  }

  async findContinuation(priority: Priority, userSignal: AbortSignal): Promise<Continuation | null> {
    const signal = AbortSignal.any([userSignal, this.#life.signal])
    await this.#server.know(signal)
    const { completion, wrapsPrompts } = this.#server.dialect
    if (completion === 'llama') return 'completions'
    const prompts = { ...completionTrial, priority }
    const prompt = inTurn(this.#queue, prompts, signal, (until) => this.#continue(prompts, until))
    const hasPrompts = await continuesPrompts(prompt, wrapsPrompts)
    signal.throwIfAborted()
    if (hasPrompts === null) return null
    if (hasPrompts) return this.#found('completions')
    const answers = { ...prefillTrial, priority }
    const begun = inTurn(this.#queue, answers, signal, (until) => this.#chat(answers, false, until))
    const hasAnswers = await continuesAnswers(begun)
    signal.throwIfAborted()
    return hasAnswers === null ? null : this.#found(hasAnswers ? 'prefill' : 'instruction')
  }

  async describe(signal: AbortSignal): Promise<ModelDescription> {
    const facts = await this.#server.ask(signal)
    const { modelName, version } = facts
    return { modelName, version, context: this.#server.windowOf(facts), needsKey: false }
  }

  contextWindow(signal: AbortSignal): Promise<ContextWindow> {
    return this.#server.contextWindow(signal)
  }

  requestsAtOnce(tokens: number, signal: AbortSignal): Promise<number> {
    return this.#server.requestsAtOnce(tokens, signal)
  }

  readonly nextWords: NonNullable<ModelClient['nextWords']> = async ({ prompt }, userSignal) => {
    const signal = AbortSignal.any([userSignal, this.#life.signal])
    await this.#server.know(signal)
    if (this.#server.dialect.completion !== 'llama') throw new AppError({ code: 'model/no-probabilities' })
    const { firstTokenMs } = this.#options.timeouts
    const { llamaNextWords } = await import('./llama-next-words.ts')
    return this.#queue.run('foreground', signal, () =>
      llamaNextWords(this.#server, prompt, signal, firstTokenMs),
    )
  }

  complete(request: CompletionRequest, userSignal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    const signal = AbortSignal.any([userSignal, this.#life.signal])
    const events = inTurn(this.#queue, request, signal, (until) => this.#complete(request, until))
    return mendEvents(events, () => this.#server.markerStarts)
  }

  chat(request: ChatRequest, userSignal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    const signal = AbortSignal.any([userSignal, this.#life.signal])
    const events = inTurn(this.#queue, request, signal, (until) => this.#chatAsKnown(request, until))
    return mendEvents(events, () => this.#server.markerStarts)
  }

  async dispose(): Promise<void> {
    this.#life.abort(new Error('disposed'))
  }

  readonly #countTokens: NonNullable<ModelClient['countTokens']> = (
    prompt,
    signal,
    { isPiece = false } = {},
  ) => this.#server.countTokens(prompt, isPiece, signal)

  readonly #countChat: NonNullable<ModelClient['countChat']> = ({ messages, tools = [] }, signal) =>
    this.#server.countChat({ messages, tools: this.capabilities.hasTools ? tools : [] }, signal)

  async *#complete(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    await this.#server.know(signal)
    const { completion } = this.#server.dialect
    if (completion === 'llama') {
      return yield* withoutPhrases(request, (part, stop) => this.#continue(part, stop), signal)
    }
    const continuation = this.#continuation ?? completion
    // Constraints are known to work only for the chat endpoint.
    const isPlain = continuation === 'completions' && request.constraint === undefined
    if (isPlain) return yield* this.#continue(request, signal)
    const asChat = completionAsChat(request, continuation === 'prefill' ? 'prefill' : 'instruction')
    yield* this.#chat(asChat, false, signal)
  }

  #found(continuation: Continuation): Continuation {
    this.#continuation = continuation
    return continuation
  }

  #continue(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    const { completion } = this.#server.dialect
    return this.#answer(
      {
        request,
        open: async (until) => {
          const server = this.#server
          const textsWith = (controls: ControlStrings) => wireTexts(request.prompt, controls)
          await server.learnMarkers(textsWith, until)
          const body = completionBody(request, server.frame)
          const { http } = server
          return completion === 'llama' ? http.stream('/completion', body, until) : http.complete(body, until)
        },
        text: promptText(request.prompt),
        begun: null,
        count: () => this.#server.countTokens(request.prompt, false, signal),
      },
      signal,
    )
  }

  async *#chatAsKnown(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    await this.#server.know(signal)
    yield* this.#chat(request, this.capabilities.hasTools, signal)
  }

  #chat(
    request: ChatRequest,
    hasTools: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, void, void> {
    const { messages } = request
    const tools = hasTools ? (request.tools ?? []) : []
    const last = messages.at(-1)
    const begun =
      last?.role === 'assistant'
        ? { text: last.content, isQuoted: false }
        : { text: request.repeated ?? '', isQuoted: true }
    return this.#answer(
      {
        request,
        open: async (until) => {
          const server = this.#server
          const asked = this.#schemas.withoutRefused(request)
          const images = await readImages(messages)
          const { textsIn } = await import('../completion/marker-check.ts')
          const textsWith = (controls: ControlStrings) => textsIn(wireParts(asked, controls, hasTools))
          await server.learnMarkers(textsWith, until)
          return server.http.chat(chatBody(asked, server.frame, hasTools, images), until)
        },
        text: JSON.stringify([tools, messages]),
        begun,
        count: () => this.#server.countChat({ messages, tools }, signal),
      },
      signal,
    )
  }

  async *#answer(asked: Asked, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    const { request, text } = asked
    const { hasCounter, cutsSilently } = this.#server.dialect
    const counted = request.promptTokens ?? (hasCounter ? await asked.count() : undefined)
    const promptTokens = counted ?? this.#estimate.tokens(text)
    const isEstimated = counted === undefined || request.isPromptEstimated === true
    // An estimate may refuse a prompt that would fit, so it is used only where the server would cut silently.
    if (!isEstimated || cutsSilently) await this.#checkRoom(promptTokens, request.maxTokens, signal)
    const reusedTokens = this.#reuse.estimate(text, promptTokens)
    this.#reuse.remember(text, '')
    const outcome = yield* this.#heard(asked, promptTokens, signal)
    this.#reuse.remember(text, outcome.text)
    const { usage, msPrompt, msTotal } = outcome
    if (usage !== null) this.#estimate.learn(text, usage.promptTokens)
    yield usageEvent({
      promptTokens: usage?.promptTokens ?? promptTokens,
      reusedTokens: usage?.cachedTokens ?? reusedTokens,
      isReuseEstimated: usage?.cachedTokens == null,
      completionTokens: usage?.completionTokens ?? outcome.pieceCount,
      msPrompt,
      msTotal,
      isExact: usage !== null,
    })
    yield { type: 'done', stopReason: outcome.end }
  }

  /** Refuses a prompt that does not fit; not by a window that is assumed, since only the server knows the real one. */
  async #checkRoom(promptTokens: number, maxTokens: number, signal: AbortSignal): Promise<void> {
    const context = await this.#server.contextWindow(signal)
    if (context.source !== 'assumed' && context.source !== 'name') checkRoom(promptTokens, maxTokens, context)
  }

  /** Passes the answer on, and learns the context window from a refusal for length. */
  async *#heard(
    asked: Asked,
    promptTokens: number,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, OpenaiOutcome, void> {
    try {
      return yield* this.#attempts(asked, signal)
    } catch (error) {
      if (!(error instanceof AppError) || error.info.code !== 'model/context-overflow') throw error
      const { usedTokens, limitTokens } = error.info
      const window = this.#server.noteOverflow(limitTokens)
      const told = { usedTokens: usedTokens || promptTokens, limitTokens: limitTokens || window }
      throw new AppError({ code: 'model/context-overflow', ...told }, { cause: error })
    }
  }

  /** Makes another request where the server refuses a part of this one. */
  async *#attempts(asked: Asked, signal: AbortSignal): AsyncGenerator<ModelEvent, OpenaiOutcome, void> {
    const { http } = this.#server
    const { timeouts } = this.#options
    const { open, begun, request } = asked
    const { stops, maxTokens } = request
    let run: OpenaiRun | undefined
    const begin = () => {
      run = new OpenaiRun({ clock: this.#clock, http, timeouts, open, stops, maxTokens, begun })
      return run
    }
    const changesRequest = (error: unknown): boolean => {
      if ('messages' in request && this.#schemas.hears(error, request.constraint)) return true
      // Some models refuse fields of a sampler, and answer without them.
      const field = refusedField(error)
      return field !== null && isOptionalField(field) && this.#server.leaveOut(field)
    }
    const outcome = yield* attempts(this.#clock, signal, begin, changesRequest)
    if ('messages' in request && run?.hasBegun) this.#schemas.answered(request.constraint)
    return outcome
  }
}
