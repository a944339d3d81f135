import type { Continuation } from '../../../shared/domain/model/model-profile.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import { TokenEstimate } from '../../tokens/token-estimate.ts'
import {
  type ChatRequest,
  type CompletionRequest,
  type ModelCapabilities,
  type ModelClient,
  type ModelEvents,
  promptText,
} from '../client/model-client.ts'
import { refusedField, SchemaRefusals } from '../client/openai-faults.ts'
import { type Attempt, retry } from '../client/retry.ts'
import { acceptedFields } from '../client/sampler-table.ts'
import type { BegunLine } from '../completion/answer-text.ts'
import { mendEvents, wireTexts } from '../completion/break-control-strings.ts'
import { checkRoom } from '../completion/request-check.ts'
import { inTurn, type RequestQueue } from '../completion/request-queue.ts'
import { usageEvent } from '../completion/request-usage.ts'
import { withoutPhrases } from '../completion/without-phrases.ts'
import { readImages } from './chat-images.ts'
import { chatBody, completionAsChat, completionBody, isOptionalField, wireParts } from './openai-payload.ts'
import { type OpenaiOutcome, openaiRun } from './openai-run.ts'
import { type OpenaiServerOptions, openaiServer } from './openai-server.ts'
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

export type OpenaiClient = ReturnType<typeof createOpenaiClient>

/**
 * Creates a client for servers with OpenAI's API: llama.cpp, Ollama, LM Studio, vLLM, OpenAI and others, each in its
 * dialect. `queue`: shared by all clients of one model on one server.
 *
 * Shape: `capabilities` are certain once `learn` or `describe` has returned.
 * Source: llama-server as measured; `flavours/` for the others.
 */
export function createOpenaiClient(
  { clock, queue }: { clock: Clock; queue: RequestQueue },
  options: OpenaiClientOptions,
) {
  const server = openaiServer({ ...options, clock })
  const { http } = server
  const { reuse } = queue
  const estimate = new TokenEstimate()
  const life = new AbortController()
  const schemas = new SchemaRefusals()
  let { canCallTools, continuation } = options

  const capabilities = (): ModelCapabilities => {
    const { dialect, facts } = server
    return {
      hasCounter: dialect.hasCounter,
      constraints: schemas.isTotal ? [] : dialect.hasGbnf ? ['gbnf', 'json-schema'] : ['json-schema'],
      hasReuseCount: dialect.hasReuseCount,
      canBanPhrases: dialect.completion === 'llama',
      canBanEnd: dialect.canBanEnd,
      tellsChances: dialect.completion === 'llama',
      samplers: acceptedFields(dialect.sampler),
      hasImages: server.hasImages,
      hasTools: facts?.hasTools ?? canCallTools ?? false,
    }
  }

  /** Runs a request in its turn, once the server's facts are known. */
  function inform(
    request: ChatRequest | CompletionRequest,
    userSignal: AbortSignal,
    run: (signal: AbortSignal) => ModelEvents,
  ): ModelEvents {
    async function* informed(until: AbortSignal) {
      await server.know(until)
      yield* run(until)
    }
    const signal = AbortSignal.any([userSignal, life.signal])
    return mendEvents(inTurn(queue, request, signal, informed), () => server.markerStarts)
  }

  async function* complete(request: CompletionRequest, signal: AbortSignal): ModelEvents {
    const { completion } = server.dialect
    if (completion === 'llama') return yield* withoutPhrases(request, continuePrompt, signal)
    const known = continuation ?? completion
    // Constraints are known to work only for the chat endpoint.
    const isPlain = known === 'completions' && request.constraint === undefined
    if (isPlain) return yield* continuePrompt(request, signal)
    const asChat = completionAsChat(request, known === 'prefill' ? 'prefill' : 'instruction')
    yield* chat(asChat, false, signal, promptText(request.prompt))
  }

  function continuePrompt(request: CompletionRequest, signal: AbortSignal): ModelEvents {
    const { completion } = server.dialect
    const asked: Asked = {
      request,
      async open(until) {
        await server.learnMarkers((controls) => wireTexts(request.prompt, controls), until)
        const body = completionBody(request, server.frame)
        return completion === 'llama' ? http.stream('/completion', body, until) : http.complete(body, until)
      },
      text: promptText(request.prompt),
      begun: null,
      count: () => server.countTokens(request.prompt, false, signal),
    }
    return answer(asked, signal)
  }

  function chat(request: ChatRequest, hasTools: boolean, signal: AbortSignal, prompt?: string): ModelEvents {
    const { messages } = request
    const tools = hasTools ? (request.tools ?? []) : []
    const last = messages.at(-1)
    const asked: Asked = {
      request,
      async open(until) {
        const sent = schemas.withoutRefused(request)
        const images = await readImages(messages)
        const { textsIn } = await import('../completion/marker-check.ts')
        await server.learnMarkers((controls) => textsIn(wireParts(sent, controls, hasTools)), until)
        return http.chat(chatBody(sent, server.frame, hasTools, images), until)
      },
      text: prompt ?? JSON.stringify([tools, messages]),
      begun:
        last?.role === 'assistant'
          ? { text: last.content, isQuoted: false }
          : { text: request.repeated ?? '', isQuoted: true },
      count: () => server.countChat({ messages, tools }, signal),
    }
    return answer(asked, signal)
  }

  async function* answer(asked: Asked, signal: AbortSignal): ModelEvents {
    const { request, text } = asked
    const { hasCounter, cutsSilently } = server.dialect
    const counted = request.promptTokens ?? (hasCounter ? await asked.count() : undefined)
    const promptTokens = counted ?? estimate.tokens(text)
    const isEstimated = counted === undefined || request.isPromptEstimated === true
    // An estimate may refuse a prompt that would fit, so it is used only where the server would cut silently.
    if (!isEstimated || cutsSilently) {
      const context = await server.contextWindow(signal)
      // Only the server knows the real window where ours is assumed.
      const isAssumed = context.source === 'assumed' || context.source === 'name'
      if (!isAssumed) checkRoom(promptTokens, request.maxTokens, context)
    }
    const reusedTokens = reuse.estimate(text, promptTokens)
    reuse.remember(text, '')
    const outcome = yield* attempt(asked, promptTokens, signal)
    reuse.remember(text, outcome.text)
    const { usage, msPrompt, msTotal } = outcome
    if (usage !== null) estimate.learn(text, usage.promptTokens)
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

  /** Makes another request where the server refuses a part of this one; learns the window from a refusal for length. */
  async function* attempt(
    { open, begun, request }: Asked,
    promptTokens: number,
    signal: AbortSignal,
  ): ModelEvents<OpenaiOutcome> {
    const { stops, maxTokens } = request
    let run: Attempt<OpenaiOutcome> | undefined
    const begin = () => {
      run = openaiRun({ clock, http, timeouts: options.timeouts, open, stops, maxTokens, begun })
      return run
    }
    const changesRequest = (error: unknown): boolean => {
      if ('messages' in request && schemas.hears(error, request.constraint)) return true
      // Some models refuse fields of a sampler, and answer without them.
      const field = refusedField(error)
      return field !== null && isOptionalField(field) && server.leaveOut(field)
    }
    try {
      const outcome = yield* retry(clock, signal, begin, changesRequest)
      if ('messages' in request && run?.hasBegun) schemas.answered(request.constraint)
      return outcome
    } catch (error) {
      if (!isAppError(error, 'model/context-overflow')) throw error
      const { usedTokens, limitTokens } = error.info
      const window = server.noteOverflow(limitTokens)
      const told = { usedTokens: usedTokens || promptTokens, limitTokens: limitTokens || window }
      throw new AppError({ code: 'model/context-overflow', ...told }, { cause: error })
    }
  }

  return {
    get isBusy() {
      return queue.isBusy
    },
    get lastRead() {
      return server.hasOneSlot ? reuse.last : undefined
    },
    get capabilities() {
      return capabilities()
    },
    get countTokens(): ModelClient['countTokens'] {
      if (!server.dialect.hasCounter) return null
      return (prompt, signal, { isPiece = false } = {}) => server.countTokens(prompt, isPiece, signal)
    },
    get countChat(): ModelClient['countChat'] {
      if (!server.dialect.hasCounter) return null
      return ({ messages, tools = [] }, signal) =>
        server.countChat({ messages, tools: capabilities().hasTools ? tools : [] }, signal)
    },
    async learn(signal) {
      try {
        await server.know(signal)
      } catch (error) {
        // The request itself will report the error.
        if (!signal.aborted && !(error instanceof AppError)) throw error
      }
    },
    async tryTools(priority, userSignal) {
      const signal = AbortSignal.any([userSignal, life.signal])
      const { hasTools } = await server.ask(signal)
      if (hasTools !== null) return hasTools
      const request = { ...toolTrial, priority }
      const found = await endsInCall(inTurn(queue, request, signal, (until) => chat(request, true, until)))
      signal.throwIfAborted()
      if (found !== null) canCallTools = found
      return found
    },
    async findContinuation(priority, userSignal) {
      const signal = AbortSignal.any([userSignal, life.signal])
      await server.know(signal)
      const { completion, wrapsPrompts } = server.dialect
      if (completion === 'llama') return 'completions'
      const prompts = { ...completionTrial, priority }
      const prompt = inTurn(queue, prompts, signal, (until) => continuePrompt(prompts, until))
      const hasPrompts = await continuesPrompts(prompt, wrapsPrompts)
      signal.throwIfAborted()
      if (hasPrompts === null) return null
      if (hasPrompts) {
        continuation = 'completions'
        return continuation
      }
      const answers = { ...prefillTrial, priority }
      const begun = inTurn(queue, answers, signal, (until) => chat(answers, false, until))
      const hasAnswers = await continuesAnswers(begun)
      signal.throwIfAborted()
      if (hasAnswers === null) return null
      continuation = hasAnswers ? 'prefill' : 'instruction'
      return continuation
    },
    async describe(signal) {
      const facts = await server.ask(signal)
      const { modelName, version } = facts
      return { modelName, version, context: server.windowOf(facts), needsKey: false }
    },
    contextWindow: (signal) => server.contextWindow(signal),
    requestsAtOnce: (tokens, signal) => server.requestsAtOnce(tokens, signal),
    async nextWords({ prompt }, userSignal) {
      const signal = AbortSignal.any([userSignal, life.signal])
      await server.know(signal)
      if (server.dialect.completion !== 'llama') throw new AppError({ code: 'model/no-probabilities' })
      const { llamaNextWords } = await import('./llama-next-words.ts')
      return queue.run('foreground', signal, () => {
        reuse.remember(promptText(prompt), '')
        return llamaNextWords(server, prompt, signal, options.timeouts.firstTokenMs)
      })
    },
    complete: (request, signal) => inform(request, signal, (until) => complete(request, until)),
    chat: (request, signal) =>
      inform(request, signal, (until) => chat(request, capabilities().hasTools, until)),
    async dispose() {
      life.abort(new Error('disposed'))
    },
  } satisfies ModelClient
}
