import type { Continuation, OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import type { Sampler } from '../../../shared/domain/model/sampler.ts'

/** What differs between the servers that speak OpenAI's API. */
export type Dialect = {
  /**
   * How a prompt is continued until a trial has told. `llama`: by `/completion`, with constraints; it needs none.
   */
  completion: 'llama' | Continuation
  /** Its `/v1/completions` puts the model's own template around, unless its count of tokens shows otherwise. */
  wrapsPrompts: boolean
  /** Counts by `/tokenize` and `input_tokens`. */
  hasCounter: boolean
  /** Its own count of what it need not read again comes with each answer. */
  hasReuseCount: boolean
  hasGbnf: boolean
  /** Takes `ignore_eos`. */
  canBanEnd: boolean
  /** Cuts a prompt that is too long, silently. */
  cutsSilently: boolean
  stopLimit: number
  sampling(sampler: Sampler): Record<string, number>
}

const manyStops = 32

const basic: Dialect = {
  completion: 'instruction',
  wrapsPrompts: false,
  hasCounter: false,
  hasReuseCount: false,
  hasGbnf: false,
  canBanEnd: false,
  cutsSilently: false,
  stopLimit: 4,
  sampling: ({ temperature, topP }) => ({ temperature, top_p: topP }),
}

/**
 * Each server as it is.
 *
 * Source: llama-server as measured; https://docs.ollama.com/api/openai-compatibility (the fields that it
 * takes; its `completions` applies the model's template); https://lmstudio.ai/docs/developer (sampling fields);
 * https://docs.vllm.ai "OpenAI-Compatible Server" (extra parameters).
 */
export const dialects: Record<OpenaiFlavour, Dialect> = {
  'llama.cpp': {
    completion: 'llama',
    wrapsPrompts: false,
    hasCounter: true,
    hasReuseCount: true,
    hasGbnf: true,
    canBanEnd: true,
    cutsSilently: false,
    stopLimit: manyStops,
    // All of them, so that no default of the server's command line applies.
    sampling: (sampler) => ({
      temperature: sampler.temperature,
      top_k: sampler.topK,
      top_p: sampler.topP,
      min_p: sampler.minP,
      repeat_penalty: sampler.repeatPenalty,
      repeat_last_n: sampler.repeatRange,
      presence_penalty: 0,
      frequency_penalty: 0,
      typical_p: 1,
      top_n_sigma: -1,
      dynatemp_range: 0,
      xtc_probability: 0,
      dry_multiplier: 0,
      mirostat: 0,
    }),
  },
  ollama: { ...basic, wrapsPrompts: true, cutsSilently: true, stopLimit: manyStops },
  'lm-studio': {
    ...basic,
    completion: 'completions',
    cutsSilently: true,
    stopLimit: manyStops,
    sampling: ({ temperature, topK, topP, repeatPenalty }) => ({
      temperature,
      top_k: topK,
      top_p: topP,
      repeat_penalty: repeatPenalty,
    }),
  },
  vllm: {
    ...basic,
    canBanEnd: true,
    completion: 'completions',
    stopLimit: manyStops,
    sampling: ({ temperature, topK, topP, minP, repeatPenalty }) => ({
      temperature,
      top_k: topK === 0 ? -1 : topK,
      top_p: topP,
      min_p: minP,
      repetition_penalty: repeatPenalty,
    }),
  },
  other: basic,
}
