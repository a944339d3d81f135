import { AppError } from '../../../shared/errors.ts'
import { type ModelClient, promptText } from '../client/model-client.ts'
import type { ClientParts } from '../client/own-api.ts'
import { acceptedFields, koboldSampler, likeliest } from '../client/sampler-table.ts'
import type { ModelServer } from '../client/server-http.ts'
import { createStreamingClient, type StreamingClientOptions } from '../client/streaming-client.ts'
import { RequestQueue } from '../completion/request-queue.ts'
import { KoboldApi, koboldPayload } from './kobold-api.ts'
import { koboldRun } from './kobold-run.ts'

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
  { clock, random, queue }: Pick<ClientParts, 'clock' | 'random' | 'queue'>,
  options: Omit<ModelServer & StreamingClientOptions, 'clock' | 'queue'>,
) {
  const { timeouts } = options
  const api = new KoboldApi({ ...options, clock })
  const counts = new RequestQueue()
  const newKey = () => `tsugi-${random.id().slice(0, 12)}`
  const { client, learnControls, until } = createStreamingClient(
    { ...options, clock, queue },
    {
      capabilities,
      async describe(signal) {
        const { version, protected: isProtected } = await api.version(signal)
        const modelName = await api.modelName(signal)
        return { modelName, version, needsKey: isProtected && modelName === null }
      },
      contextTokens: (signal) => api.contextTokens(signal),
      async count(text, isPiece, signal) {
        if (text === '') return isPiece ? 0 : 1
        // Not every model has a BOS token that could be subtracted from the count of a piece.
        return counts.run('foreground', signal, () => api.countTokens(text, !isPiece, signal))
      },
      countLimit,
      markerFinder: async () => (await import('./kobold-markers.ts')).koboldMarkers(api, counts),
      begin(request, contextTokens, controls) {
        const genkey = newKey()
        const payload = koboldPayload(request, genkey, contextTokens, controls)
        const { seed, stops } = request
        return () => koboldRun({ clock, api, timeouts, payload, genkey, seed, stops })
      },
    },
  )

  const nextWords: NonNullable<ModelClient['nextWords']> = ({ prompt }, userSignal) => {
    const signal = until(userSignal)
    return queue.run('foreground', signal, async () => {
      const { tokens } = await client.contextWindow(signal)
      const controls = await learnControls(prompt, signal)
      const request = { prompt, sampler: likeliest, maxTokens: 1, stops: [], seed: 1 }
      const payload = koboldPayload(request, newKey(), tokens, controls)
      queue.reuse.remember(promptText(prompt), '')
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
  }
  return Object.assign(client, { nextWords })
}
