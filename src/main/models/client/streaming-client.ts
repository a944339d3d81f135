import type { ServedProfile } from '../../../shared/domain/model/model-profile.ts'
import {
  breakInPrompt,
  type ControlStrings,
  mendEvents,
  startsOf,
  wireTexts,
  withOwnTokens,
} from '../completion/break-control-strings.ts'
import type { FindMarkers, MarkerCheck } from '../completion/marker-check.ts'
import { checkRoom } from '../completion/request-check.ts'
import { inTurn } from '../completion/request-queue.ts'
import { usageEvent } from '../completion/request-usage.ts'
import type { TextOutcome } from '../completion/streaming-run.ts'
import { splitThinking } from '../completion/think-tags.ts'
import { chatCompletion, renderChat } from '../profiles/template-pack.ts'
import {
  type CompletionRequest,
  type ContextWindow,
  type ModelClient,
  type ModelDescription,
  type ModelEvents,
  type Prompt,
  plainPrompt,
  promptText,
  tooManyToCount,
} from './model-client.ts'
import type { ClientParts } from './own-api.ts'
import { type Attempt, retry, retryCall } from './retry.ts'
import { counted } from './server-http.ts'

/** The parts of a client that each server answers by its own API. */
type StreamingServer<Capabilities> = {
  capabilities: Capabilities
  describe(signal: AbortSignal): Promise<Omit<ModelDescription, 'context'>>
  /** Returns the context window that the server has. */
  contextTokens(signal: AbortSignal): Promise<number>
  /** Counts a text as `begin` sends it; a piece without the BOS token, where the server can leave it out. */
  count(text: string, isPiece: boolean, signal: AbortSignal): Promise<number>
  /** The smallest count that the server cannot tell. Absent: it tells all. */
  countLimit?: number
  /**
   * Returns what finds the model's control tokens in a text by its tokenizer; called once for each model. Absent:
   * strings in the form of a control token count as such.
   */
  markerFinder?: () => Promise<FindMarkers>
  /** Prepares a request; the result begins one attempt (`streamingRun`). `controls`: the strings to break in it. */
  begin(
    request: CompletionRequest,
    contextTokens: number,
    controls: ControlStrings,
  ): () => Attempt<TextOutcome>
}

/** `contextTokens`: the user's own figure, which takes precedence over a larger one of the server. */
export type StreamingClientOptions = Pick<ClientParts, 'queue' | 'clock' | 'template' | 'controls'> &
  Pick<ServedProfile, 'contextTokens'>

/**
 * Creates a client for a server that continues a text and streams it: a queue, retries, control strings, thinking tags
 * and figures.
 *
 * Shape: `learnControls` finds the control tokens in a prompt and returns the strings to break in it; `until` adds the
 * end of the client to a signal.
 */
export function createStreamingClient<Capabilities extends ModelClient['capabilities']>(
  { queue, clock, template, ...options }: StreamingClientOptions,
  server: StreamingServer<Capabilities>,
) {
  const { reuse } = queue
  const life = new AbortController()
  const until = (signal: AbortSignal) => AbortSignal.any([signal, life.signal])
  /** Control strings known for all models, and those that the model's tokenizer has told. */
  let { controls } = options
  let markerCheck: MarkerCheck | undefined
  let markers: readonly string[] = []
  let lastName: string | null = null

  async function contextWindow(signal: AbortSignal): Promise<ContextWindow> {
    const tokens = await server.contextTokens(signal)
    // A server may silently cut a prompt that is larger than its own window.
    if (options.contextTokens !== undefined && options.contextTokens < tokens)
      return { tokens: options.contextTokens, source: 'profile' }
    return { tokens, source: 'server' }
  }

  const countTokens: NonNullable<ModelClient['countTokens']> = (prompt, signal, { isPiece = false } = {}) => {
    const segments = typeof prompt === 'string' ? plainPrompt(prompt) : prompt
    return counted(server.count(promptText(breakInPrompt(segments, controls)), isPiece, signal), signal)
  }

  function knownCount(tokens: number): number {
    return tokens === tooManyToCount ? (server.countLimit ?? tokens) : tokens
  }

  async function countAnswer(text: string, signal: AbortSignal): Promise<number> {
    return text === '' ? 0 : knownCount(await countTokens(text, signal, { isPiece: true }))
  }

  async function learnControls(prompt: Prompt, signal: AbortSignal): Promise<ControlStrings> {
    const controlsWith = (known: readonly string[]) => withOwnTokens(options.controls, [], known)
    markerCheck ??= await newMarkerCheck()
    markers = await markerCheck.learn((known) => wireTexts(prompt, controlsWith(known)), signal)
    controls = controlsWith(markers)
    return controls
  }

  async function newMarkerCheck(): Promise<MarkerCheck> {
    // Loaded with the first request, not with the profile.
    const { createMarkerCheck, markersByForm } = await import('../completion/marker-check.ts')
    return createMarkerCheck((await server.markerFinder?.()) ?? markersByForm)
  }

  async function* generate(request: CompletionRequest, signal: AbortSignal): ModelEvents {
    // A server that is still loading often refuses this one already.
    const context = yield* retryCall(clock, signal, () => contextWindow(signal))
    const promptTokens = knownCount(request.promptTokens ?? (await countTokens(request.prompt, signal)))
    checkRoom(promptTokens, request.maxTokens, context)
    const begin = server.begin(request, context.tokens, await learnControls(request.prompt, signal))
    const prompt = promptText(request.prompt)
    const shared = reuse.estimate(prompt, promptTokens)
    reuse.remember(prompt, '')
    const { text, end, ...told } = yield* retry(clock, signal, begin)
    reuse.remember(prompt, text)
    const written = told.completionTokens ?? (await told.tidy((limited) => countAnswer(text, limited)))
    const isPromptCounted = told.promptTokens !== undefined || request.isPromptEstimated !== true
    yield usageEvent({
      promptTokens: told.promptTokens ?? promptTokens,
      reusedTokens: told.reusedOf === undefined ? shared : told.reusedOf(promptTokens, shared),
      isReuseEstimated: true,
      completionTokens: written ?? told.pieceCount,
      msPrompt: told.msPrompt,
      msTotal: told.msTotal,
      isExact: written !== null && isPromptCounted,
    })
    yield { type: 'done', stopReason: end }
  }

  function complete(request: CompletionRequest, signal: AbortSignal): ModelEvents {
    const events = inTurn(queue, request, until(signal), (ended) => generate(request, ended))
    return mendEvents(events, () => startsOf(markers))
  }

  const client = {
    capabilities: server.capabilities,
    get isBusy() {
      return queue.isBusy
    },
    get lastRead() {
      return reuse.last
    },
    async describe(signal) {
      const told = await server.describe(signal)
      if (told.modelName !== lastName) markerCheck = undefined
      lastName = told.modelName
      return { ...told, context: await contextWindow(signal) }
    },
    contextWindow,
    countTokens,
    countChat: ({ messages }, signal) => countTokens(renderChat(template, messages), signal),
    complete,
    chat: (request, signal) => splitThinking(complete(chatCompletion(request, template), signal)),
    async dispose() {
      life.abort(new Error('disposed'))
    },
  } satisfies ModelClient
  return { client, learnControls, until }
}
