import type { Continuation, OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'

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
  /** Works on many requests at the same time, whatever room they take. */
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
    isBatching: false,
  },
  ollama: { ...basic, wrapsPrompts: true, cutsSilently: true, stopLimit: manyStops },
  'lm-studio': {
    ...basic,
    completion: 'completions',
    cutsSilently: true,
    stopLimit: manyStops,
  },
  vllm: {
    ...basic,
    canBanEnd: true,
    completion: 'completions',
    stopLimit: manyStops,
    isBatching: true,
  },
  other: basic,
}
