import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import type { EngineEvent, EngineRequest } from '../../engine/engine-contract.ts'
import type { EngineProcess } from '../../engine/engine-process.ts'
import {
  type ChatRequest,
  type CompletionRequest,
  type ContextWindow,
  type ModelClient,
  type ModelDescription,
  type ModelEvent,
  type Prompt,
  plainPrompt,
} from '../client/model-client.ts'
import { acceptedFields } from '../client/sampler-table.ts'
import { wireText } from '../completion/request-check.ts'
import { inTurn, RequestQueue } from '../completion/request-queue.ts'
import { usageEvent } from '../completion/request-usage.ts'
import { splitThinking } from '../completion/think-tags.ts'
import { withoutPhrases } from '../completion/without-phrases.ts'
import { chatCompletion, renderChat } from '../profiles/template-pack.ts'
import { gbnfOf } from './json-schema-grammar.ts'

export type EmbeddedClientOptions = {
  template: TemplatePack
  contextTokens: number | undefined
}

type Segments = EngineRequest['segments']

/** A client for a GGUF file on this machine, which the engine runs in its child process. */
export class EmbeddedClient implements ModelClient {
  readonly capabilities = {
    hasCounter: true,
    constraints: ['gbnf', 'json-schema'],
    hasReuseCount: true,
    hasTools: false,
    canBanPhrases: true,
    canBanEnd: true,
    tellsChances: true,
    samplers: acceptedFields('embedded'),
  } as const
  readonly #clock: Clock
  readonly #engine: EngineProcess
  readonly #options: EmbeddedClientOptions
  readonly #queue = new RequestQueue()
  readonly #life = new AbortController()

  constructor(deps: { clock: Clock; engine: EngineProcess }, options: EmbeddedClientOptions) {
    this.#clock = deps.clock
    this.#engine = deps.engine
    this.#options = options
  }

  get isBusy(): boolean {
    return this.#queue.isBusy
  }

  revive(): void {
    this.#engine.revive()
  }

  async describe(signal: AbortSignal): Promise<ModelDescription> {
    const { modelName } = await this.#engine.model(signal)
    return { modelName, version: null, context: await this.contextWindow(signal), needsKey: false }
  }

  async contextWindow(signal: AbortSignal): Promise<ContextWindow> {
    const { contextTokens: tokens } = await this.#engine.model(signal)
    // Memory may have allowed a smaller window than the user's figure; then the engine's own figure counts.
    return { tokens, source: tokens === this.#options.contextTokens ? 'profile' : 'file' }
  }

  readonly countTokens = async (
    prompt: string | Prompt,
    signal: AbortSignal,
    { isPiece = false }: { isPiece?: boolean } = {},
  ): Promise<number> => this.#engine.count(toSegments(prompt), isPiece, signal)

  readonly watchHealth = (listener: (problem: AppError | null) => void): void => {
    this.#engine.onState((state, error) => {
      if (error !== null || state === 'ready') listener(error)
    })
  }

  readonly countChat = ({ messages }: Pick<ChatRequest, 'messages'>, signal: AbortSignal): Promise<number> =>
    this.countTokens(renderChat(this.#options.template, messages), signal)

  readonly nextWords: NonNullable<ModelClient['nextWords']> = async (
    { prompt, conversation },
    userSignal,
  ) => {
    const signal = AbortSignal.any([userSignal, this.#life.signal])
    const { words, limit, promptTokens, readTokens } = await this.#queue.run('foreground', signal, () =>
      this.#engine.words(toSegments(prompt), conversation, signal),
    )
    return { words, limit, untold: 0, promptTokens, reusedTokens: promptTokens - readTokens }
  }

  complete(request: CompletionRequest, userSignal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    const signal = AbortSignal.any([userSignal, this.#life.signal])
    return inTurn(this.#queue, request, signal, (until) =>
      withoutPhrases(request, (part, stop) => this.#run(part, stop), until),
    )
  }

  chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    return splitThinking(this.complete(chatCompletion(request, this.#options.template), signal))
  }

  /** Disposes the client. A running request ends as after a stop, not as after a crash of the engine. */
  dispose(): Promise<void> {
    this.#life.abort(new Error('disposed'))
    return this.#engine.dispose()
  }

  async *#run(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    const startedAt = this.#clock.now()
    let firstTokenAt: number | undefined
    if (this.#engine.state !== 'ready') yield { type: 'phase', phase: 'queued', progress: null }
    for await (const event of this.#engine.complete(toEngineRequest(request), signal)) {
      if (event.type === 'reading') {
        yield { type: 'phase', phase: 'reading', progress: event.progress }
        continue
      }
      if (event.type === 'chance') {
        yield event
        continue
      }
      if (firstTokenAt === undefined) {
        firstTokenAt = this.#clock.now()
        if (event.type === 'text') yield { type: 'phase', phase: 'writing', progress: null }
      }
      if (event.type === 'text') yield event
      else yield* this.#ended(event, startedAt, firstTokenAt)
    }
  }

  *#ended(
    event: Extract<EngineEvent, { type: 'done' }>,
    startedAt: number,
    firstTokenAt: number,
  ): Generator<ModelEvent, void, void> {
    yield usageEvent({
      promptTokens: event.promptTokens,
      reusedTokens: event.promptTokens - event.readTokens,
      isReuseEstimated: false,
      completionTokens: event.completionTokens,
      msPrompt: firstTokenAt - startedAt,
      msTotal: this.#clock.now() - startedAt,
      isExact: true,
    })
    yield { type: 'done', stopReason: event.stopReason }
  }
}

function toEngineRequest(request: CompletionRequest): Omit<EngineRequest, 'id'> {
  return {
    segments: toSegments(request.prompt),
    sampler: request.sampler,
    maxTokens: request.maxTokens,
    stops: request.stops.filter((stop) => stop !== ''),
    seed: request.seed,
    isEosBanned: request.isEosBanned === true,
    ...(request.tellsChances === true && { tellsChances: true }),
    ...(request.bannedStarts && { bannedStarts: [...request.bannedStarts] }),
    grammar: gbnfOf(request.constraint),
    conversation: request.conversation ?? 'main',
  }
}

function toSegments(prompt: string | Prompt): Segments {
  const segments = typeof prompt === 'string' ? plainPrompt(prompt) : prompt
  return segments.map(({ text, isSpecial }) => ({ text: wireText(text), isSpecial }))
}
