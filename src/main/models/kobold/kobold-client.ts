import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Clock, Random } from '../../deps.ts'
import {
  type CompletionRequest,
  type ContextWindow,
  type ModelClient,
  type ModelEvents,
  type Prompt,
  plainPrompt,
  promptText,
  tooManyToCount,
} from '../client/model-client.ts'
import { retry } from '../client/retry.ts'
import { acceptedFields, koboldSampler, likeliest } from '../client/sampler-table.ts'
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
import { usageEvent } from '../completion/request-usage.ts'
import { splitThinking } from '../completion/think-tags.ts'
import { chatCompletion, renderChat } from '../profiles/template-pack.ts'
import { KoboldApi, koboldPayload } from './kobold-api.ts'
import type { KoboldOutcome } from './kobold-run.ts'

type KoboldClientOptions = Omit<ModelServer, 'clock'> & {
  template: TemplatePack
  /** The user's own figure, which takes precedence over the server's. */
  contextTokens: number | undefined
  /** Strings to break wherever they are not the template's own: the server reads them as tokens in any text. */
  controls: ControlStrings
}

/** Number of chances that the server tells for a token. Source: KoboldCpp's `logprobs_max`. */
const toldChances = 5

/** The smallest count that the server cannot tell. */
const countLimit = 50_000

/** Abilities of every KoboldCpp. */
const capabilities = {
  hasCounter: true,
  constraints: ['gbnf', 'json-schema'],
  hasReuseCount: false,
  hasTools: false,
  canBanPhrases: true,
  canBanEnd: true,
  tellsChances: true,
  samplers: acceptedFields(koboldSampler),
} as const

export type KoboldClient = ReturnType<typeof createKoboldClient>

/**
 * Creates a client for KoboldCpp's native API: one request in flight, one count at a time, no idle sockets.
 * `queue`: shared by all clients of one server.
 *
 * Source: KoboldCpp 1.76 as measured, 1.104 as read.
 */
export function createKoboldClient(
  { clock, random, queue }: { clock: Clock; random: Random; queue: RequestQueue },
  options: KoboldClientOptions,
) {
  const { template, timeouts } = options
  const api = new KoboldApi({ ...options, clock })
  const { reuse } = queue
  const counts = new RequestQueue()
  const life = new AbortController()
  /** Control strings known for all models, and those that the model's tokenizer has told. */
  let { controls } = options
  let markerCheck: MarkerCheck | undefined
  let markers: readonly string[] = []
  let lastName: string | null = null

  async function contextWindow(signal: AbortSignal): Promise<ContextWindow> {
    const tokens = await api.contextTokens(signal)
    // The server would silently cut a prompt that is larger than its own window.
    if (options.contextTokens !== undefined && options.contextTokens < tokens)
      return { tokens: options.contextTokens, source: 'profile' }
    return { tokens, source: 'server' }
  }

  const countTokens: NonNullable<ModelClient['countTokens']> = async (
    prompt,
    signal,
    { isPiece = false } = {},
  ) => {
    const segments = typeof prompt === 'string' ? plainPrompt(prompt) : prompt
    const text = promptText(breakInPrompt(segments, controls))
    if (text === '') return isPiece ? 0 : 1
    // Not every model has a BOS token that could be subtracted from the count of a piece.
    const count = () => api.counted(api.countTokens(text, !isPiece, signal), signal)
    return counts.run('foreground', signal, count)
  }

  /** Finds control tokens in the texts of a prompt, so that they are broken when the prompt is sent. */
  async function learnMarkers(prompt: Prompt, signal: AbortSignal): Promise<void> {
    const controlsWith = (known: readonly string[]) => withOwnTokens(options.controls, [], known)
    markerCheck ??= await newMarkerCheck()
    markers = await markerCheck.learn((known) => wireTexts(prompt, controlsWith(known)), signal)
    controls = controlsWith(markers)
  }

  async function newMarkerCheck(): Promise<MarkerCheck> {
    // Loaded with the first request, not at the start of the host.
    const { createMarkerCheck } = await import('../completion/marker-check.ts')
    const { koboldMarkers } = await import('./kobold-markers.ts')
    return createMarkerCheck(koboldMarkers(api, counts))
  }

  const newKey = () => `tsugi-${random.id().slice(0, 12)}`

  async function* generate(request: CompletionRequest, signal: AbortSignal): ModelEvents {
    // Loaded with the first request, not at the start of the host.
    const { koboldRun } = await import('./kobold-run.ts')
    const context = await contextWindow(signal)
    const counted = request.promptTokens ?? (await countTokens(request.prompt, signal))
    const promptTokens = counted === tooManyToCount ? countLimit : counted
    checkRoom(promptTokens, request.maxTokens, context)
    const genkey = newKey()
    await learnMarkers(request.prompt, signal)
    const payload = koboldPayload(request, genkey, context.tokens, controls)
    const prompt = promptText(request.prompt)
    const sharedTokens = reuse.estimate(prompt, promptTokens)
    reuse.remember(prompt, '')
    const { seed, stops } = request
    const input = { clock, api, timeouts, payload, genkey, seed, stops }
    const outcome = yield* retry(clock, signal, () => koboldRun(input))
    reuse.remember(prompt, outcome.text)
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

  function complete(request: CompletionRequest, userSignal: AbortSignal): ModelEvents {
    const signal = AbortSignal.any([userSignal, life.signal])
    const events = inTurn(queue, request, signal, (until) => generate(request, until))
    return mendEvents(events, () => startsOf(markers))
  }

  return {
    capabilities,
    get isBusy() {
      return queue.isBusy
    },
    get lastRead() {
      return reuse.last
    },
    async describe(signal) {
      const { version, protected: isProtected } = await api.version(signal)
      const modelName = await api.modelName(signal)
      if (modelName !== lastName) markerCheck = undefined
      lastName = modelName
      const context = await contextWindow(signal)
      return { modelName, version, context, needsKey: isProtected && modelName === null }
    },
    contextWindow,
    countTokens,
    countChat: ({ messages }, signal) => countTokens(renderChat(template, messages), signal),
    async nextWords({ prompt }, userSignal) {
      const signal = AbortSignal.any([userSignal, life.signal])
      return queue.run('foreground', signal, async () => {
        const { tokens } = await contextWindow(signal)
        await learnMarkers(prompt, signal)
        const request = { prompt, sampler: likeliest, maxTokens: 1, stops: [], seed: 1 }
        const payload = koboldPayload(request, newKey(), tokens, controls)
        reuse.remember(promptText(prompt), '')
        const chances = await api.firstChances(payload, signal, timeouts.firstTokenMs)
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
    },
    complete,
    chat: (request, signal) => splitThinking(complete(chatCompletion(request, template), signal)),
    async dispose() {
      life.abort(new Error('disposed'))
    },
  } satisfies ModelClient
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
