import { z } from 'zod'
import type { KoboldHttp } from './kobold-http.ts'

const Version = z.object({
  result: z.literal('KoboldCpp'),
  version: z.string(),
  protected: z.boolean().default(false),
})
const Model = z.object({ result: z.string() })
const ContextLength = z.object({ value: z.int().positive() })
const TokenCount = z.object({ value: z.int().min(0) })
const Results = z.object({ results: z.array(z.object({ text: z.string() })).min(1) })
const Chance = z.object({ token: z.string(), logprob: z.number() })
const Chances = z.object({
  results: z
    .array(
      z.object({
        logprobs: z.object({ content: z.array(z.object({ top_logprobs: z.array(Chance) })) }).nullish(),
      }),
    )
    .min(1),
})
const LastChances = z.object({ logprobs: z.object({ content: z.array(Chance) }).nullish() })
const Perf = z.object({
  /** Time per token of a prompt that was read, not of those in the cache. Units: ms. Source: KoboldCpp 1.76, 1.104. */
  last_process: z.number().optional(),
  last_token_count: z.int(),
  last_seed: z.int(),
  stop_reason: z.int(),
})
export type Perf = z.infer<typeof Perf>

/** The name that 1.76 gives to clients without its key. */
const hiddenModel = 'protected-model'

/** Returns the likeliest first tokens of an answer, five at most; empty where the server gives none. */
export async function firstChances(
  http: KoboldHttp,
  payload: Record<string, unknown>,
  signal: AbortSignal,
  waitMs: number,
): Promise<z.infer<typeof Chance>[]> {
  const body = { ...payload, max_length: 1, logprobs: true }
  const { results } = await http.post('/api/v1/generate', body, Chances, signal, waitMs)
  return results[0]?.logprobs?.content[0]?.top_logprobs ?? []
}

/**
 * Returns how likely each token of the answer with this key was, in order; empty where the server does not know.
 *
 * Source: KoboldCpp's `POST /api/extra/last_logprobs`, which 1.76 does not have.
 */
export async function lastChances(http: KoboldHttp, genkey: string, signal: AbortSignal) {
  const { logprobs } = await http.post('/api/extra/last_logprobs', { genkey }, LastChances, signal)
  return (logprobs?.content ?? []).map(({ token, logprob }) => ({ text: token, share: Math.exp(logprob) }))
}

export function getVersion(http: KoboldHttp, signal: AbortSignal) {
  return http.get('/api/extra/version', Version, signal)
}

/** Returns the model's file name without extension; null where the server hides it. */
export async function getModelName(http: KoboldHttp, signal: AbortSignal): Promise<string | null> {
  const { result } = await http.get('/api/v1/model', Model, signal)
  const name = result.replace(/^koboldcpp\//, '')
  return name === hiddenModel ? null : name
}

/** Returns the context length; `config/max_context_length` is not used, since it is the Horde's limit of 4,096. */
export async function getContextLength(http: KoboldHttp, signal: AbortSignal): Promise<number> {
  return (await http.get('/api/extra/true_max_context_length', ContextLength, signal)).value
}

/** Counts tokens. Only `value` is used, since the ids may be another call's. 0 means 50,000 tokens or more. */
export async function countTokens(
  http: KoboldHttp,
  prompt: string,
  withBos: boolean,
  signal: AbortSignal,
): Promise<number> {
  const body = { prompt, special: withBos }
  return (await http.post('/api/extra/tokencount', body, TokenCount, signal)).value
}

/** Returns the text so far of the generation with this key, or of the last one; not trimmed at stops. */
export async function checkText(http: KoboldHttp, genkey: string, signal: AbortSignal): Promise<string> {
  const { results } = await http.post('/api/extra/generate/check', { genkey }, Results, signal)
  return results[0]?.text ?? ''
}

export async function abortGeneration(http: KoboldHttp, genkey: string, signal: AbortSignal): Promise<void> {
  await http.post('/api/extra/abort', { genkey }, z.unknown(), signal)
}

export function getPerf(http: KoboldHttp, signal: AbortSignal): Promise<Perf> {
  return http.get('/api/extra/perf', Perf, signal)
}
