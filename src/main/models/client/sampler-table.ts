import {
  type Sampler,
  type SamplerField,
  SamplerStep,
  samplerFields,
  type WholeSampler,
  wholeSampler,
} from '../../../shared/domain/model/sampler.ts'

/** Always takes the likeliest token. */
export const likeliest = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }

/** The fields of a sampler that are sent to a backend, with their names and values in its requests. */
export type SamplerDialect = {
  /** The fields that it takes, each with its name there; it ignores all others. */
  names: Partial<Record<SamplerField, string>>
  /** Returns the values that it expects in another form. */
  values?: (sampler: WholeSampler) => Partial<Record<SamplerField, unknown>>
}

/** The fields that every server accepts. */
export const commonSampler: SamplerDialect = { names: { temperature: 'temperature', topP: 'top_p' } }

/** The fields that have the same name in KoboldCpp and llama.cpp. */
const shared: SamplerDialect['names'] = {
  ...commonSampler.names,
  topK: 'top_k',
  minP: 'min_p',
  dynatempRange: 'dynatemp_range',
  dynatempExponent: 'dynatemp_exponent',
  xtcProbability: 'xtc_probability',
  xtcThreshold: 'xtc_threshold',
  dryMultiplier: 'dry_multiplier',
  dryBase: 'dry_base',
  dryAllowedLength: 'dry_allowed_length',
  dryRange: 'dry_penalty_last_n',
  dryBreakers: 'dry_sequence_breakers',
  mirostat: 'mirostat',
  mirostatTau: 'mirostat_tau',
  mirostatEta: 'mirostat_eta',
}

/**
 * KoboldCpp takes a bias by token ids only, and does not give these reliably.
 *
 * Source: KoboldCpp, `koboldcpp.py` (`generate` fields).
 */
export const koboldSampler: SamplerDialect = {
  names: {
    ...shared,
    repeatPenalty: 'rep_pen',
    repeatRange: 'rep_pen_range',
    topA: 'top_a',
    typical: 'typical',
    nSigma: 'nsigma',
    order: 'sampler_order',
  },
  values: ({ order }) => ({
    order: completed(order, koboldOrder).flatMap((step) =>
      step === 'topA' ? [koboldSteps.topA, koboldTfs] : [koboldSteps[step]],
    ),
  }),
}

/** Source: llama.cpp, `tools/server/README.md`, `POST /completion`. */
export const llamaSampler: SamplerDialect = {
  names: {
    ...shared,
    repeatPenalty: 'repeat_penalty',
    repeatRange: 'repeat_last_n',
    typical: 'typical_p',
    nSigma: 'top_n_sigma',
    logitBias: 'logit_bias',
    order: 'samplers',
  },
  values: ({ order, nSigma }) => ({
    order: completed(order, llamaOrder).map((step) => llamaSteps[step]),
    ...(nSigma === 0 && { nSigma: -1 }),
  }),
}

/** By the names of its library's options. Source: node-llama-cpp 3.21, `SequenceEvaluateOptions`. */
export const embeddedSampler: SamplerDialect = {
  names: {
    temperature: 'temperature',
    topK: 'topK',
    topP: 'topP',
    minP: 'minP',
    repeatPenalty: 'repeatPenalty.penalty',
    repeatRange: 'repeatPenalty.maxPunishTokens',
    xtcProbability: 'xtc.probability',
    xtcThreshold: 'xtc.threshold',
    dryMultiplier: 'dryRepeatPenalty.strength',
    dryBase: 'dryRepeatPenalty.base',
    dryAllowedLength: 'dryRepeatPenalty.allowedLength',
    dryRange: 'dryRepeatPenalty.lastTokens',
    dryBreakers: 'dryRepeatPenalty.sequenceBreakers',
    logitBias: 'tokenBias',
  },
}

/** KoboldCpp knows these steps by number; min-p goes with top-p there, and the rest has its own place. */
const koboldSteps: Partial<Record<SamplerStep, number>> = {
  topK: 0,
  topA: 1,
  topP: 2,
  typical: 4,
  temperature: 5,
  penalties: 6,
}
const koboldTfs = 3
/** KoboldCpp's own order. Source: KoboldCpp, default of `sampler_order`. */
const koboldOrder: readonly SamplerStep[] = ['penalties', 'topK', 'topA', 'typical', 'topP', 'temperature']

/** llama.cpp's names; it has no top-a. */
const llamaSteps: Partial<Record<SamplerStep, string>> = {
  penalties: 'penalties',
  dry: 'dry',
  nSigma: 'top_n_sigma',
  topK: 'top_k',
  typical: 'typ_p',
  topP: 'top_p',
  minP: 'min_p',
  xtc: 'xtc',
  temperature: 'temperature',
}
const llamaOrder: readonly SamplerStep[] = SamplerStep.options.filter((step) => step in llamaSteps)

/** Returns the fields that a backend takes. */
export function acceptedFields({ names }: SamplerDialect): SamplerField[] {
  return samplerFields.filter((field) => names[field] !== undefined)
}

/** Returns a sampler for a server's request: every field that the server takes, so that no default of it applies. */
export function samplerBody(sampler: Sampler, { names, values }: SamplerDialect): Record<string, unknown> {
  const whole = wholeSampler(sampler)
  const { logitBias, dryBreakers } = whole
  const wire: Partial<Record<SamplerField, unknown>> = {
    ...whole,
    dryBreakers: dryBreakers.map((text) => text.toWellFormed()),
    // An empty bias is not sent.
    logitBias:
      logitBias.length === 0 ? undefined : logitBias.map(({ text, bias }) => [text.toWellFormed(), bias]),
    ...values?.(whole),
  }
  const body: Record<string, unknown> = {}
  for (const field of samplerFields) {
    const name = names[field]
    if (name !== undefined && wire[field] !== undefined) body[name] = wire[field]
  }
  return body
}

/** Returns the named steps, then the others in their usual order, so that none is left out by accident. */
function completed(named: readonly SamplerStep[], usual: readonly SamplerStep[]): SamplerStep[] {
  const known = new Set(named.filter((step) => usual.includes(step)))
  return [...known, ...usual.filter((step) => !known.has(step))]
}
