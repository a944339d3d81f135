import { z } from 'zod'
import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { isOwnPlace } from '../../../shared/suggestion/single-slot.ts'
import type { ChatRequest, ContextWindow, Prompt } from '../client/model-client.ts'
import type { OpenaiFacts } from '../client/openai-facts.ts'
import { isUnanswered } from '../client/openai-faults.ts'
import { OpenaiHttp } from '../client/openai-http.ts'
import { counted, type ModelServer } from '../client/server-http.ts'
import { type ControlStrings, startsOf, withOwnTokens } from '../completion/break-control-strings.ts'
import type { MarkerCheck } from '../completion/marker-check.ts'
import { identifyServer } from '../discovery/identify-server.ts'
import type { FactsByName } from '../discovery/known-models.ts'
import type { Flavour } from '../flavours/flavour.ts'
import { flavours } from '../flavours/flavours.ts'
import { servedFacts } from '../flavours/other.ts'
import type { CacheMarks } from './cache-marks.ts'
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
  } & Partial<FactsByName>

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

export type OpenaiServer = ReturnType<typeof openaiServer>

/** Creates the access to a server and one of its models: known facts, and requests other than for text. */
export function openaiServer(options: OpenaiServerOptions) {
  const { model, windowOfName, namesImages } = options
  const http = new OpenaiHttp(options)
  const refused = new Set<string>()
  let { flavour } = options
  /** The server did not answer the questions of its flavour when it was asked last: only OpenAI's API is used. */
  let isPlain = false
  let facts: OpenaiFacts | undefined
  /** Control strings known for all models, with the model's own once the server has told them. */
  let { controls } = options
  let markers: readonly string[] = []
  let markerCheck: MarkerCheck | undefined
  /** The context window that refusals for length have shown. Units: tokens. */
  let mostTokens: number | undefined

  /** Returns the flavour as which the server is spoken to. */
  const spoken = (): OpenaiFlavour => (isPlain ? 'other' : (flavour ?? 'other'))
  const dialect = (): Flavour => flavours[spoken()]
  const controlsWith = (known: readonly string[]) =>
    withOwnTokens(options.controls, facts?.ownTokens ?? [], known)

  async function identify(signal: AbortSignal): Promise<OpenaiFlavour> {
    const found = await identifyServer(options, signal)
    if (found.flavour !== undefined) return found.flavour
    throw http.badResponse(`a server of another API: ${found.backend}`)
  }

  /** Asks the server again for its facts. Errors: `model/…`. */
  async function ask(signal: AbortSignal): Promise<OpenaiFacts> {
    flavour ??= await identify(signal)
    const before = facts
    const loadMs = options.timeouts.firstTokenMs
    const question = { http, model, signal, loadMs, before }
    const own = await flavours[flavour].readFacts(question)
    const told = own ?? (await servedFacts(question))
    const wasPlain = isPlain
    isPlain = own === null
    // A model that was unloaded meanwhile will be loaded as it was.
    const ownTokens = told.ownTokens.length > 0 ? told.ownTokens : (before?.ownTokens ?? [])
    facts = { ...told, ownTokens, contextTokens: told.contextTokens ?? before?.contextTokens ?? null }
    if (before !== undefined && (before.modelName !== told.modelName || wasPlain !== isPlain)) {
      markers = []
      markerCheck = undefined
    }
    controls = controlsWith(markers)
    return facts
  }

  /** Returns the facts; asks the server unless it was asked before. */
  async function know(signal: AbortSignal): Promise<OpenaiFacts> {
    return facts ?? ask(signal)
  }

  /** Returns the smallest window of the user's and the server's; else that by the model's name; else an assumption. */
  function windowOf(known: OpenaiFacts | undefined): ContextWindow {
    const { contextTokens: own } = options
    const told = Math.min(known?.contextTokens ?? Infinity, mostTokens ?? Infinity)
    if (own !== undefined && own < told) return { tokens: own, source: 'profile' }
    if (told !== Infinity) return { tokens: told, source: 'server' }
    const named = windowOfName?.(model) ?? null
    return named === null ? { tokens: assumedTokens, source: 'assumed' } : { tokens: named, source: 'name' }
  }

  async function newMarkerCheck(): Promise<MarkerCheck> {
    // Loaded with the first request, not at the start of the host.
    const { createMarkerCheck, markersByForm } = await import('../completion/marker-check.ts')
    const { llamaMarkers, vllmMarkers } = await import('./openai-markers.ts')
    if (spoken() === 'llama.cpp') return createMarkerCheck(llamaMarkers(http, model))
    return createMarkerCheck(spoken() === 'vllm' ? vllmMarkers(http, model) : markersByForm)
  }

  async function inputTokens(body: object, signal: AbortSignal): Promise<number> {
    try {
      const path = `${http.apiPath}/chat/completions/input_tokens`
      return (await http.post(path, body, InputTokens, signal)).input_tokens
    } catch (error) {
      if (!isUnanswered(error)) throw error
      // Older versions have no such path, but apply their template by itself.
      const { prompt } = await http.post('/apply-template', body, Applied, signal)
      const content = { content: prompt, add_special: true, parse_special: true }
      return (await http.post('/tokenize', content, Tokens, signal)).tokens.length
    }
  }

  return {
    http,
    ask,
    know,
    windowOf,
    /** The server's dialect; that of a server not known yet has the least abilities. */
    get dialect() {
      return dialect()
    },
    /** Whether the server has one cache, which each request replaces. A service on the internet has many. */
    get hasOneSlot(): boolean {
      const isService = spoken() === 'other' && !isOwnPlace(http.address)
      return !isService && !dialect().isBatching && (facts?.slots ?? 1) === 1
    },
    /** The facts that the server gave last; undefined before it was asked. */
    get facts() {
      return facts
    },
    get frame(): PayloadFrame {
      const { hasCacheMarks, cacheKeyField } = options
      return { flavour: spoken(), model, controls, refused, hasCacheMarks, cacheKeyField }
    },
    /** Whether the model takes images, by the user's setting, else by the server, else by the model's name. */
    get hasImages() {
      return options.takesImages ?? facts?.hasImages ?? namesImages?.(model) ?? false
    },
    /** Characters after which control tokens of this model were broken. */
    get markerStarts() {
      return startsOf([...markers, ...(facts?.ownTokens ?? [])])
    },
    /** Leaves a field out of all later requests. Returns false where it was left out already. */
    leaveOut(field: string): boolean {
      const isNew = !refused.has(field)
      refused.add(field)
      return isNew
    },
    /**
     * Finds out which strings of a request are control tokens: by the model's tokenizer, or by their form where the
     * user's own server gives no access to it. Texts to an unknown service on the internet are not checked.
     *
     * Shape: `textsWith` returns the texts as they would be sent.
     */
    async learnMarkers(
      textsWith: (controls: ControlStrings) => Iterable<string>,
      signal: AbortSignal,
    ): Promise<void> {
      if (spoken() === 'ollama' && facts?.vocabulary !== undefined) return
      if (flavour === 'other' && !(await isOwn(http.address))) return
      markerCheck ??= await newMarkerCheck()
      const learned = await markerCheck.learn((known) => textsWith(controlsWith(known)), signal)
      if (learned.join('\n') === markers.join('\n')) return
      markers = learned
      controls = controlsWith(markers)
    },
    async contextWindow(signal: AbortSignal): Promise<ContextWindow> {
      // A service on the internet does not change its models' windows between two requests.
      return windowOf(flavour === 'other' ? await know(signal) : await ask(signal))
    },
    /**
     * Returns how many requests of so many tokens the server handles at the same time. Slots of llama.cpp may share one
     * cache, and when that overflows all of them fail: so all requests together must fit into the window of one slot.
     */
    async requestsAtOnce(tokens: number, signal: AbortSignal): Promise<number> {
      const known = await know(signal)
      const isService = flavour === 'other' && !(await isOwn(http.address))
      if (dialect().isBatching || isService) return Number.POSITIVE_INFINITY
      const fitting = Math.floor(windowOf(known).tokens / Math.max(1, tokens))
      return Math.max(1, Math.min(known.slots ?? 1, fitting))
    },
    /**
     * Learns from a refusal for length, and returns the context window to use from now on. `limitTokens`: 0 where the
     * server does not tell its window.
     */
    noteOverflow(limitTokens: number): number {
      const { tokens, source } = windowOf(facts)
      if (limitTokens > 0) mostTokens = Math.min(limitTokens, mostTokens ?? Infinity)
      else if (source !== 'server' || mostTokens !== undefined)
        mostTokens = Math.max(leastTokens, Math.floor(tokens / 2))
      return windowOf(facts).tokens
    },
    async countTokens(prompt: string | Prompt, isPiece: boolean, signal: AbortSignal): Promise<number> {
      const content = wirePrompt(prompt, controls)
      const body = { model, content, add_special: !isPiece, parse_special: true }
      const count = http.post('/tokenize', body, Tokens, signal).then(({ tokens }) => tokens.length)
      // An empty prompt cannot be sent; a whole prompt has at least one token.
      return Math.max(isPiece ? 0 : 1, await counted(count, signal))
    },
    async countChat(
      { messages, tools = [] }: Pick<ChatRequest, 'messages' | 'tools'>,
      signal: AbortSignal,
    ): Promise<number> {
      const body = {
        model,
        messages: wireMessages(messages, controls, undefined, refused),
        ...(tools.length > 0 && { tools: wireTools(tools, controls) }),
      }
      return counted(inputTokens(body, signal), signal)
    },
  }
}
