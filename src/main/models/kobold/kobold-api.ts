import { z } from 'zod'
import { isAppError } from '../../../shared/errors.ts'
import { type CompletionRequest, promptText } from '../client/model-client.ts'
import { koboldSampler, samplerBody } from '../client/sampler-table.ts'
import { ServerHttp } from '../client/server-http.ts'
import { breakInPrompt, type ControlStrings } from '../completion/break-control-strings.ts'
import { gbnfOf } from '../completion/json-schema-grammar.ts'
import { wireText } from '../completion/request-check.ts'
import { usableStops } from '../completion/stop-cutter.ts'

const Version = z.object({
  result: z.literal('KoboldCpp'),
  version: z.string(),
  protected: z.boolean().default(false),
})
const Text = z.object({ result: z.string() })
const ContextLength = z.object({ value: z.int().positive() })
const TokenCount = z.object({ value: z.int().min(0) })
const TokenIds = z.object({ ids: z.array(z.int()) })
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
/** Time limit: a version that does not know the path lets the request wait for the model. Units: ms. */
const limitProbeMs = 1_000
/** Maximum numbers that the engine reads; we cut at further stops. Source: KoboldCpp 1.76 as measured. */
const stopLimit = 32
const bannedPhraseLimit = 48

/** The HTTP API of one KoboldCpp, whose errors are recognised by their status alone. */
export class KoboldApi extends ServerHttp {
  version(signal: AbortSignal): Promise<z.output<typeof Version>> {
    return this.get('/api/extra/version', Version, signal)
  }

  /** Returns the model's file name without extension; null where the server hides it. */
  async modelName(signal: AbortSignal): Promise<string | null> {
    const { result } = await this.get('/api/v1/model', Text, signal)
    const name = result.replace(/^koboldcpp\//, '')
    return name === hiddenModel ? null : name
  }

  /** Returns the context length; `config/max_context_length` is not used, since it is the Horde's limit of 4,096. */
  async contextTokens(signal: AbortSignal): Promise<number> {
    return (await this.get('/api/extra/true_max_context_length', ContextLength, signal)).value
  }

  /** Counts tokens. Only `value` is used, since the ids may be another call's. 0 means 50,000 tokens or more. */
  async countTokens(prompt: string, withBos: boolean, signal: AbortSignal): Promise<number> {
    const body = { prompt, special: withBos }
    return (await this.post('/api/extra/tokencount', body, TokenCount, signal)).value
  }

  /**
   * Returns the tokens of a text, turned into text. Control tokens write nothing. The ids may be another call's, as with
   * all counts.
   *
   * Source: KoboldCpp, `POST /api/extra/detokenize`, `{ids}` → `{result}`; special tokens are not rendered.
   */
  async writeOut(prompt: string, signal: AbortSignal): Promise<string> {
    const { ids } = await this.post('/api/extra/tokencount', { prompt, special: false }, TokenIds, signal)
    return (await this.post('/api/extra/detokenize', { ids }, Text, signal)).result
  }

  /** True where this version supports `writeOut`; undefined where it did not answer in time. */
  async canWriteOut(signal: AbortSignal): Promise<boolean | undefined> {
    try {
      await this.post('/api/extra/detokenize', { ids: [] }, Text, signal, limitProbeMs)
      return true
    } catch (error) {
      if (isAppError(error, 'model/bad-response')) return false
      if (isAppError(error, 'model/timeout')) return undefined
      throw error
    }
  }

  /** Returns the likeliest first tokens of an answer, five at most; empty where the server gives none. */
  async firstChances(
    payload: Record<string, unknown>,
    signal: AbortSignal,
    waitMs: number,
  ): Promise<z.infer<typeof Chance>[]> {
    const body = { ...payload, max_length: 1, logprobs: true }
    const { results } = await this.post('/api/v1/generate', body, Chances, signal, waitMs)
    return results[0]?.logprobs?.content[0]?.top_logprobs ?? []
  }

  /**
   * Returns how likely each token of the answer with this key was, in order; empty where the server does not know.
   *
   * Source: KoboldCpp's `POST /api/extra/last_logprobs`, which 1.76 does not have.
   */
  async lastChances(genkey: string, signal: AbortSignal): Promise<{ text: string; share: number }[]> {
    const { logprobs } = await this.post('/api/extra/last_logprobs', { genkey }, LastChances, signal)
    return (logprobs?.content ?? []).map(({ token, logprob }) => ({ text: token, share: Math.exp(logprob) }))
  }

  /** Returns the text so far of the generation with this key, or of the last one; not trimmed at stops. */
  async checkText(genkey: string, signal: AbortSignal): Promise<string> {
    const { results } = await this.post('/api/extra/generate/check', { genkey }, Results, signal)
    return results[0]?.text ?? ''
  }

  async abortGeneration(genkey: string, signal: AbortSignal): Promise<void> {
    await this.post('/api/extra/abort', { genkey }, z.unknown(), signal)
  }

  perf(signal: AbortSignal): Promise<Perf> {
    return this.get('/api/extra/perf', Perf, signal)
  }
}

/**
 * Returns the body of `POST /api/extra/generate/stream` with every sampler value, so that no default applies. The
 * server reads control strings anywhere, so only the template's own are left whole.
 *
 * Source: KoboldCpp 1.76 as measured, POST /api/v1/generate.
 */
export function koboldPayload(
  request: CompletionRequest,
  genkey: string,
  contextTokens: number,
  controls: ControlStrings,
): Record<string, unknown> {
  return {
    prompt: promptText(breakInPrompt(request.prompt, controls)),
    memory: '',
    genkey,
    max_length: request.maxTokens,
    max_context_length: contextTokens,
    ...samplerBody(request.sampler, koboldSampler),
    tfs: 1,
    sampler_seed: request.seed,
    stop_sequence: usableStops(request.stops).slice(0, stopLimit).map(wireText),
    trim_stop: true,
    ban_eos_token: request.isEosBanned === true,
    bypass_eos: false,
    render_special: false,
    banned_tokens: (request.bannedPhrases ?? []).slice(0, bannedPhraseLimit).map(wireText),
    grammar: gbnfOf(request.constraint),
    ...(request.tellsChances === true && { logprobs: true }),
    quiet: true,
  }
}
