import { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
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

/** Who takes a sampler: KoboldCpp, the embedded engine, or one of the servers that speak OpenAI's API. */
const takers = ['koboldcpp', 'embedded', ...OpenaiFlavour.options] as const
type SamplerTaker = (typeof takers)[number]

/** A field's name in each backend that takes it; elsewhere the field is ignored. */
type WireNames = Partial<Record<SamplerTaker, string>>

const everywhere = (name: string): WireNames => Object.fromEntries(takers.map((taker) => [taker, name]))
const both = (name: string): WireNames => ({ koboldcpp: name, 'llama.cpp': name })

/**
 * Every field and its name in the requests of each backend; the embedded engine's are those of its library's options.
 *
 * Source: KoboldCpp, `koboldcpp.py` (`generate` fields); llama.cpp, `tools/server/README.md`, `POST /completion`;
 * https://docs.ollama.com/api/openai-compatibility; https://lmstudio.ai/docs/developer; https://docs.vllm.ai
 * "OpenAI-Compatible Server" (extra parameters); node-llama-cpp 3.21, `SequenceEvaluateOptions`. KoboldCpp takes
 * a bias by token ids only, and does not give these reliably.
 */
export const samplerTable: Record<SamplerField, WireNames> = {
  temperature: everywhere('temperature'),
  topK: { ...both('top_k'), embedded: 'topK', 'lm-studio': 'top_k', vllm: 'top_k' },
  topP: { ...everywhere('top_p'), embedded: 'topP' },
  minP: { ...both('min_p'), embedded: 'minP', vllm: 'min_p' },
  repeatPenalty: {
    koboldcpp: 'rep_pen',
    embedded: 'repeatPenalty.penalty',
    'llama.cpp': 'repeat_penalty',
    'lm-studio': 'repeat_penalty',
    vllm: 'repetition_penalty',
  },
  repeatRange: {
    koboldcpp: 'rep_pen_range',
    embedded: 'repeatPenalty.maxPunishTokens',
    'llama.cpp': 'repeat_last_n',
  },
  topA: { koboldcpp: 'top_a' },
  typical: { koboldcpp: 'typical', 'llama.cpp': 'typical_p' },
  nSigma: { koboldcpp: 'nsigma', 'llama.cpp': 'top_n_sigma' },
  dynatempRange: both('dynatemp_range'),
  dynatempExponent: both('dynatemp_exponent'),
  xtcProbability: { ...both('xtc_probability'), embedded: 'xtc.probability' },
  xtcThreshold: { ...both('xtc_threshold'), embedded: 'xtc.threshold' },
  dryMultiplier: { ...both('dry_multiplier'), embedded: 'dryRepeatPenalty.strength' },
  dryBase: { ...both('dry_base'), embedded: 'dryRepeatPenalty.base' },
  dryAllowedLength: { ...both('dry_allowed_length'), embedded: 'dryRepeatPenalty.allowedLength' },
  dryRange: { ...both('dry_penalty_last_n'), embedded: 'dryRepeatPenalty.lastTokens' },
  dryBreakers: { ...both('dry_sequence_breakers'), embedded: 'dryRepeatPenalty.sequenceBreakers' },
  mirostat: both('mirostat'),
  mirostatTau: both('mirostat_tau'),
  mirostatEta: both('mirostat_eta'),
  logitBias: { 'llama.cpp': 'logit_bias', embedded: 'tokenBias' },
  order: { koboldcpp: 'sampler_order', 'llama.cpp': 'samplers' },
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
export function acceptedFields(taker: SamplerTaker): SamplerField[] {
  return samplerFields.filter((field) => samplerTable[field][taker] !== undefined)
}

/** Returns a sampler for a server's request: every field that the server takes, so that no default of it applies. */
export function samplerBody(
  sampler: Sampler,
  taker: Exclude<SamplerTaker, 'embedded'>,
): Record<string, unknown> {
  const whole = wholeSampler(sampler)
  const body: Record<string, unknown> = {}
  for (const field of samplerFields) {
    const name = samplerTable[field][taker]
    const value = wireValue(whole, field, taker)
    if (name !== undefined && value !== undefined) body[name] = value
  }
  return body
}

/** Returns the value to send; undefined where the field is left out. */
function wireValue(sampler: WholeSampler, field: SamplerField, taker: SamplerTaker): unknown {
  const isLlama = taker === 'llama.cpp'
  switch (field) {
    case 'order':
      return isLlama ? llamaNames(sampler.order) : koboldNumbers(sampler.order)
    case 'logitBias':
      return sampler.logitBias.length === 0
        ? undefined
        : sampler.logitBias.map(({ text, bias }) => [text.toWellFormed(), bias])
    case 'dryBreakers':
      return sampler.dryBreakers.map((text) => text.toWellFormed())
    case 'topK':
      return taker === 'vllm' && sampler.topK === 0 ? -1 : sampler.topK
    case 'nSigma':
      return isLlama && sampler.nSigma === 0 ? -1 : sampler.nSigma
    default:
      return sampler[field]
  }
}

/** Returns the named steps, then the others in their usual order, so that none is left out by accident. */
function completed(named: readonly SamplerStep[], usual: readonly SamplerStep[]): SamplerStep[] {
  const known = new Set(named.filter((step) => usual.includes(step)))
  return [...known, ...usual.filter((step) => !known.has(step))]
}

function llamaNames(order: readonly SamplerStep[]): (string | undefined)[] {
  return completed(order, llamaOrder).map((step) => llamaSteps[step])
}

function koboldNumbers(order: readonly SamplerStep[]): (number | undefined)[] {
  return completed(order, koboldOrder).flatMap((step) =>
    step === 'topA' ? [koboldSteps.topA, koboldTfs] : [koboldSteps[step]],
  )
}
