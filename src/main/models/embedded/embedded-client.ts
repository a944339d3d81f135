import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import type { Clock } from '../../deps.ts'
import type { EngineRequest } from '../../engine/engine-contract.ts'
import type { EngineProcess } from '../../engine/engine-process.ts'
import {
  type CompletionRequest,
  type ContextWindow,
  type ModelClient,
  type ModelEvents,
  type Prompt,
  plainPrompt,
} from '../client/model-client.ts'
import { acceptedFields, embeddedSampler } from '../client/sampler-table.ts'
import { gbnfOf } from '../completion/json-schema-grammar.ts'
import { wireText } from '../completion/request-check.ts'
import { inTurn, RequestQueue } from '../completion/request-queue.ts'
import { usageEvent } from '../completion/request-usage.ts'
import { splitThinking } from '../completion/think-tags.ts'
import { withoutPhrases } from '../completion/without-phrases.ts'
import { chatCompletion, renderChat } from '../profiles/template-pack.ts'

const capabilities = {
  hasCounter: true,
  constraints: ['gbnf', 'json-schema'],
  hasReuseCount: true,
  hasTools: false,
  canBanPhrases: true,
  canBanEnd: true,
  tellsChances: true,
  samplers: acceptedFields(embeddedSampler),
} as const

export type EmbeddedClient = ReturnType<typeof createEmbeddedClient>

/** Creates a client for a GGUF file on this machine, which the engine runs in its child process. */
export function createEmbeddedClient(
  { clock, engine }: { clock: Clock; engine: EngineProcess },
  { template, contextTokens }: { template: TemplatePack; contextTokens: number | undefined },
) {
  const queue = new RequestQueue()
  const life = new AbortController()

  async function contextWindow(signal: AbortSignal): Promise<ContextWindow> {
    const { contextTokens: tokens } = await engine.model(signal)
    // Memory may have allowed a smaller window than the user's figure; then the engine's own figure counts.
    return { tokens, source: tokens === contextTokens ? 'profile' : 'file' }
  }

  const countTokens: NonNullable<ModelClient['countTokens']> = (prompt, signal, { isPiece = false } = {}) =>
    engine.count(toSegments(prompt), isPiece, signal)

  async function* run(request: CompletionRequest, signal: AbortSignal): ModelEvents {
    const startedAt = clock.now()
    let firstTokenAt: number | undefined
    if (engine.state !== 'ready') yield { type: 'phase', phase: 'queued', progress: null }
    for await (const event of engine.complete(toEngineRequest(request), signal)) {
      if (event.type === 'reading') {
        yield { type: 'phase', phase: 'reading', progress: event.progress }
        continue
      }
      if (event.type === 'chance') {
        yield event
        continue
      }
      if (firstTokenAt === undefined) {
        firstTokenAt = clock.now()
        if (event.type === 'text') yield { type: 'phase', phase: 'writing', progress: null }
      }
      if (event.type === 'text') {
        yield event
        continue
      }
      const { promptTokens, readTokens, completionTokens, stopReason } = event
      yield usageEvent({
        promptTokens,
        reusedTokens: promptTokens - readTokens,
        isReuseEstimated: false,
        completionTokens,
        msPrompt: firstTokenAt - startedAt,
        msTotal: clock.now() - startedAt,
        isExact: true,
      })
      yield { type: 'done', stopReason }
    }
  }

  function complete(request: CompletionRequest, userSignal: AbortSignal): ModelEvents {
    const signal = AbortSignal.any([userSignal, life.signal])
    return inTurn(queue, request, signal, (until) => withoutPhrases(request, run, until))
  }

  return {
    capabilities,
    get isBusy() {
      return queue.isBusy
    },
    revive: () => engine.revive(),
    async describe(signal) {
      const { modelName } = await engine.model(signal)
      return { modelName, version: null, context: await contextWindow(signal), needsKey: false }
    },
    contextWindow,
    countTokens,
    countChat: ({ messages }, signal) => countTokens(renderChat(template, messages), signal),
    watchHealth(listener) {
      engine.onState((state, error) => {
        if (error !== null || state === 'ready') listener(error)
      })
    },
    async nextWords({ prompt, conversation }, userSignal) {
      const signal = AbortSignal.any([userSignal, life.signal])
      const ask = () => engine.words(toSegments(prompt), conversation, signal)
      const { words, limit, promptTokens, readTokens } = await queue.run('foreground', signal, ask)
      return { words, limit, untold: 0, promptTokens, reusedTokens: promptTokens - readTokens }
    },
    complete,
    chat: (request, signal) => splitThinking(complete(chatCompletion(request, template), signal)),
    /** A running request ends as after a stop, not as after a crash of the engine. */
    dispose() {
      life.abort(new Error('disposed'))
      return engine.dispose()
    },
  } satisfies ModelClient
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

function toSegments(prompt: string | Prompt): EngineRequest['segments'] {
  const segments = typeof prompt === 'string' ? plainPrompt(prompt) : prompt
  return segments.map(({ text, isSpecial }) => ({ text: wireText(text), isSpecial }))
}
