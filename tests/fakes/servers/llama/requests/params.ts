import { Refusal } from '../refusal.ts'

/** A request's fields with the server's defaults filled in. Units: tokens. */
export type Params = {
  /** -1: until the context is full. */
  maxTokens: number
  isStream: boolean
  stops: readonly string[]
  seed: number
  ignoresEnd: boolean
  usesCache: boolean
  idSlot: number
  hasTimingsPerToken: boolean
  hasProgress: boolean
  returnsTokens: boolean
  responseFields: readonly string[] | null
  /** How many alternatives of each token are told; 0: none. */
  probabilities: number
  /** `generation_settings` and a slot's `params`. */
  settings: Record<string, unknown>
}

export type Body = Record<string, unknown>

const defaults: Record<string, unknown> = {
  temperature: 0.800000011920929,
  dynatemp_range: 0,
  dynatemp_exponent: 1,
  top_k: 40,
  top_p: 0.949999988079071,
  min_p: 0.05000000074505806,
  top_n_sigma: -1,
  xtc_probability: 0,
  xtc_threshold: 0.10000000149011612,
  typical_p: 1,
  repeat_last_n: 64,
  repeat_penalty: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  dry_multiplier: 0,
  dry_base: 1.75,
  dry_allowed_length: 2,
  dry_penalty_last_n: 64,
  dry_sequence_breakers: ['\n', ':', '"', '*'],
  mirostat: 0,
  mirostat_tau: 5,
  mirostat_eta: 0.10000000149011612,
  adaptive_target: -1,
  adaptive_decay: 0.8999999761581421,
}
const endTokens = [0, 2, 4]
const samplers = ['penalties', 'dry', 'top_n_sigma', 'top_k', 'typ_p', 'top_p', 'min_p', 'xtc', 'temperature']

/** The type's name as the server's JSON library says it. */
function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

export function typeRefusal(field: string | null, wanted: string, value: unknown): Refusal {
  const where = field === null ? '' : `Field '${field}': `
  return new Refusal(
    400,
    `${where}[json.exception.type_error.302] type must be ${wanted}, but is ${jsonTypeOf(value)}`,
  )
}

/**
 * Reads what a request asks of the generation.
 *
 * Errors: `Refusal` with the recorded words for a wrong type or value; null stands for the default.
 */
export function readParams(body: Body, chatFormat = 'Content-only'): Params {
  const number = (field: string, standard: number): number => {
    const value = body[field] ?? standard
    if (typeof value !== 'number') throw typeRefusal(field, 'number', value)
    return value
  }
  const boolean = (field: string, standard: boolean): boolean => {
    const value = body[field] ?? standard
    if (typeof value !== 'boolean') throw typeRefusal(field, 'boolean', value)
    return value
  }
  const sampling = Object.entries(defaults).map(([key, value]) => [
    key,
    typeof value === 'number' ? number(key, value) : value,
  ])
  const copies = number('n', 1)
  if (copies !== 1)
    throw new Refusal(400, `Field 'n': Value must be between 1 <= value <= 1, but got ${copies}`)
  const maxTokens = readMaxTokens(body, number)
  const seed = number('seed', -1)
  const stops = readStops(body.stop ?? [])
  const isStream = boolean('stream', false)
  const ignoresEnd = boolean('ignore_eos', false)
  const probabilities = readProbabilities(body)
  const grammar = typeof body.grammar === 'string' ? body.grammar : ''
  const settings = {
    seed: seed < 0 ? 4_294_967_295 : seed % 4_294_967_296,
    ...Object.fromEntries(sampling),
    stop: stops,
    max_tokens: maxTokens,
    n_predict: maxTokens,
    n_keep: 0,
    n_discard: 0,
    ignore_eos: ignoresEnd,
    stream: isStream,
    // Never an end: none of the tokens that end a text.
    logit_bias: ignoresEnd ? endTokens.map((token) => ({ bias: null, token })) : [],
    n_probs: probabilities,
    min_keep: 0,
    grammar,
    grammar_lazy: false,
    grammar_triggers: [],
    preserved_tokens: [],
    chat_format: chatFormat,
    reasoning_format: 'deepseek',
    reasoning_in_content: false,
    generation_prompt: '',
    samplers,
    'speculative.types': 'none',
    timings_per_token: boolean('timings_per_token', false),
    post_sampling_probs: boolean('post_sampling_probs', false),
    backend_sampling: false,
    lora: [],
  }
  return {
    maxTokens,
    isStream,
    stops,
    seed,
    ignoresEnd,
    usesCache: boolean('cache_prompt', true),
    idSlot: number('id_slot', -1),
    hasTimingsPerToken: settings.timings_per_token,
    hasProgress: boolean('return_progress', false),
    returnsTokens: boolean('return_tokens', false),
    responseFields: Array.isArray(body.response_fields) ? body.response_fields.map(String) : null,
    probabilities,
    settings,
  }
}

/** The shorter form that `/slots` and `/props` tell. */
export function publicSettings(settings: Record<string, unknown>): Record<string, unknown> {
  const long = ['dry_sequence_breakers', 'stop', 'logit_bias', 'grammar', 'grammar_lazy', 'grammar_triggers']
  return Object.fromEntries(
    Object.entries(settings).filter(([key]) => !long.includes(key) && key !== 'preserved_tokens'),
  )
}

function readMaxTokens(body: Body, number: (field: string, standard: number) => number): number {
  const field = ['n_predict', 'max_tokens', 'max_completion_tokens'].find((name) => name in body)
  const value = Math.trunc(field === undefined ? -1 : number(field, -1))
  if (value < -1) {
    throw new Refusal(
      400,
      `Field '${field}': Value must be between -1 <= value <= 2147483647, but got ${value}`,
    )
  }
  return value
}

function readStops(stop: unknown): string[] {
  const list = typeof stop === 'string' ? [stop] : stop
  if (!Array.isArray(list)) return []
  const wrong = list.find((entry) => typeof entry !== 'string')
  if (wrong !== undefined) throw typeRefusal('stop', 'string', wrong)
  return list
}

function readProbabilities(body: Body): number {
  if (typeof body.n_probs === 'number') return body.n_probs
  if (body.logprobs === true) return typeof body.top_logprobs === 'number' ? body.top_logprobs : 1
  return typeof body.logprobs === 'number' ? body.logprobs : 0
}
