import type { Continuation, OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'

/** The differences between the servers that speak OpenAI's API. */
export type Dialect = {
  /**
   * Request that continues a prompt until a trial request has shown what the server supports. `llama`: always
   * `/completion`, which takes constraints; no trial is made.
   */
  completion: 'llama' | Continuation
  /** `/v1/completions` applies the model's own template, unless the server's count of tokens shows otherwise. */
  wrapsPrompts: boolean
  /** Counts by `/tokenize` and `input_tokens`. */
  hasCounter: boolean
  /** Each answer has the server's own count of the tokens that were not read again. */
  hasReuseCount: boolean
  hasGbnf: boolean
  /** Takes `ignore_eos`. */
  canBanEnd: boolean
  /** Silently cuts a prompt that is too long. */
  cutsSilently: boolean
  stopLimit: number
  /** Handles many requests at the same time, whatever their size. */
  isBatching: boolean
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
  isBatching: false,
}

/**
 * The dialect of each server.
 *
 * Source: llama-server as measured; https://docs.ollama.com/api/openai-compatibility (the fields that it
 * takes; its `completions` applies the model's template); https://lmstudio.ai/docs/developer (sampling fields);
 * https://docs.vllm.ai "OpenAI-Compatible Server" (extra parameters).
 */
export const dialects: Record<OpenaiFlavour, Dialect> = {
  'llama.cpp': {
    ...basic,
    completion: 'llama',
    hasCounter: true,
    hasReuseCount: true,
    hasGbnf: true,
    canBanEnd: true,
    stopLimit: manyStops,
  },
  ollama: { ...basic, wrapsPrompts: true, cutsSilently: true, stopLimit: manyStops },
  'lm-studio': { ...basic, completion: 'completions', cutsSilently: true, stopLimit: manyStops },
  vllm: { ...basic, completion: 'completions', canBanEnd: true, stopLimit: manyStops, isBatching: true },
  other: basic,
}
