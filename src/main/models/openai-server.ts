import { z } from 'zod'
import type { OpenaiFlavour } from '../../shared/domain/model-profile.ts'
import { AppError, isAppError } from '../../shared/errors.ts'
import type { ControlStrings } from './break-control-strings.ts'
import { identifyServer } from './identify-server.ts'
import type { ChatRequest, ContextWindow, Prompt } from './model-client.ts'
import { type OpenaiFacts, readOpenaiFacts } from './openai-facts.ts'
import { type Dialect, dialects } from './openai-flavour.ts'
import { OpenaiHttp } from './openai-http.ts'
import { type PayloadFrame, wireMessages, wirePrompt, wireTools } from './openai-payload.ts'
import type { ModelServer } from './server-http.ts'

export type OpenaiServerOptions = ModelServer & {
  model: string
  /** Undefined: found out when it is first asked. */
  flavour: OpenaiFlavour | undefined
  /** The user's own figure, before the server's. */
  contextTokens: number | undefined
  controls: ControlStrings
  /** Of a server that keeps what requests mark. */
  hasCacheMarks?: boolean
}

const Tokens = z.object({ tokens: z.array(z.unknown()) })
const Applied = z.object({ prompt: z.string() })
const InputTokens = z.object({ input_tokens: z.number().int().min(0) })

/** What is known of a server and one of its models, and what it answers besides text. */
export class OpenaiServer {
  readonly http: OpenaiHttp
  readonly #options: OpenaiServerOptions
  readonly #refused = new Set<string>()
  #flavour: OpenaiFlavour | undefined
  #facts: OpenaiFacts | undefined

  constructor(options: OpenaiServerOptions) {
    this.#options = options
    this.#flavour = options.flavour
    this.http = new OpenaiHttp(options)
  }

  /** Of a server of which nothing is known yet: the least that all of them can do. */
  get dialect(): Dialect {
    return dialects[this.#flavour ?? 'other']
  }

  /** What it said last; undefined before it was asked. */
  get facts(): OpenaiFacts | undefined {
    return this.#facts
  }

  get frame(): PayloadFrame {
    const { model, controls, hasCacheMarks } = this.#options
    return { flavour: this.#flavour ?? 'other', model, controls, refused: this.#refused, hasCacheMarks }
  }

  /** This field is not sent any more. False where it was left out already. */
  leaveOut(field: string): boolean {
    const isNew = !this.#refused.has(field)
    this.#refused.add(field)
    return isNew
  }

  /** Asks it anew. Errors: `model/…`. */
  async ask(signal: AbortSignal): Promise<OpenaiFacts> {
    this.#flavour ??= await this.#identify(signal)
    const { model, timeouts } = this.#options
    const before = this.#facts
    const ask = { http: this.http, model, signal, loadMs: timeouts.firstTokenMs }
    const facts = await readOpenaiFacts(this.#flavour, ask)
    // A model that was unloaded meanwhile will be loaded as it was.
    this.#facts = { ...facts, contextTokens: facts.contextTokens ?? before?.contextTokens ?? null }
    return this.#facts
  }

  /** Asks it, unless it was asked before. */
  async know(signal: AbortSignal): Promise<OpenaiFacts> {
    return this.#facts ?? this.ask(signal)
  }

  async contextWindow(signal: AbortSignal): Promise<ContextWindow | null> {
    // A service on the internet does not change its models' windows between two requests.
    return this.windowOf(this.#flavour === 'other' ? await this.know(signal) : await this.ask(signal))
  }

  windowOf({ contextTokens: told }: OpenaiFacts): ContextWindow | null {
    const { contextTokens } = this.#options
    if (contextTokens !== undefined && (told === null || contextTokens < told)) {
      return { tokens: contextTokens, source: 'profile' }
    }
    return told === null ? null : { tokens: told, source: 'server' }
  }

  async countTokens(prompt: string | Prompt, isPiece: boolean, signal: AbortSignal): Promise<number> {
    const { model, controls } = this.#options
    const content = wirePrompt(prompt, controls)
    const body = { model, content, add_special: !isPiece, parse_special: true }
    const { tokens } = await this.#count(this.http.post('/tokenize', body, Tokens, signal), signal)
    // Nothing at all is no prompt; a whole one is never less than a token.
    return isPiece ? tokens.length : Math.max(1, tokens.length)
  }

  async countChat(
    { messages, tools = [] }: Pick<ChatRequest, 'messages' | 'tools'>,
    signal: AbortSignal,
  ): Promise<number> {
    const { model, controls } = this.#options
    const body = {
      model,
      messages: wireMessages(messages, controls),
      ...(tools.length > 0 && { tools: wireTools(tools) }),
    }
    return this.#count(this.#inputTokens(body, signal), signal)
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

  async #count<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await answer
    } catch (error) {
      if (signal.aborted || isAppError(error, 'model/unauthorized')) throw error
      throw new AppError({ code: 'tokens/unreachable' }, { cause: error })
    }
  }
}
