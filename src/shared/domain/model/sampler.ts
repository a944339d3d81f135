import { z } from 'zod'

/** The steps that a server takes one after the other to choose a token, by our names. */
export const SamplerStep = z.enum([
  'penalties',
  'dry',
  'nSigma',
  'topK',
  'topA',
  'typical',
  'topP',
  'minP',
  'xtc',
  'temperature',
])
export type SamplerStep = z.infer<typeof SamplerStep>

/** A text whose tokens become likelier or less likely. */
export const LogitBias = z.object({ text: z.string().min(1).max(200), bias: z.number().min(-100).max(100) })
export type LogitBias = z.infer<typeof LogitBias>

/**
 * How the next token is chosen. Every field that a server takes is always sent: its own defaults never apply.
 *
 * Units: `topK`, `repeatRange`, `dryAllowedLength` and `dryRange` in tokens. `topK` 0, `topP` 1, `minP` 0 and
 * `repeatPenalty` 1 switch that sampler off; `temperature` 0 takes the likeliest token. An absent optional field is
 * off (`samplerOff`); an absent or empty `order` is the server's own.
 */
export const Sampler = z.object({
  temperature: z.number().min(0).max(5),
  topK: z.int().min(0).max(1000),
  topP: z.number().gt(0).max(1),
  minP: z.number().min(0).max(1),
  repeatPenalty: z.number().min(1).max(3),
  repeatRange: z.int().min(0).max(8192),
  topA: z.number().min(0).max(1).optional(),
  typical: z.number().gt(0).max(1).optional(),
  nSigma: z.number().min(0).max(10).optional(),
  dynatempRange: z.number().min(0).max(5).optional(),
  dynatempExponent: z.number().min(0.1).max(10).optional(),
  xtcProbability: z.number().min(0).max(1).optional(),
  xtcThreshold: z.number().min(0).max(0.5).optional(),
  dryMultiplier: z.number().min(0).max(5).optional(),
  dryBase: z.number().min(1).max(8).optional(),
  dryAllowedLength: z.int().min(1).max(100).optional(),
  dryRange: z.int().min(0).max(8192).optional(),
  /** Texts that end a repeated sequence; empty: those of `samplerOff`. */
  dryBreakers: z.array(z.string().min(1).max(40)).max(40).optional(),
  /** 0: off; 1 and 2: the version. */
  mirostat: z.int().min(0).max(2).optional(),
  mirostatTau: z.number().min(0).max(10).optional(),
  mirostatEta: z.number().min(0.001).max(1).optional(),
  logitBias: z.array(LogitBias).max(100).optional(),
  order: z.array(SamplerStep).max(10).optional(),
})
export type Sampler = z.infer<typeof Sampler>

export const SamplerField = Sampler.keyof()
export type SamplerField = z.infer<typeof SamplerField>
export const samplerFields: readonly SamplerField[] = SamplerField.options

export type WholeSampler = { [K in SamplerField]-?: NonNullable<Sampler[K]> }

/** The values of fields that are not set: off, or the intended value for when their sampler is switched on. */
export const samplerOff: Omit<
  WholeSampler,
  'temperature' | 'topK' | 'topP' | 'minP' | 'repeatPenalty' | 'repeatRange'
> = {
  topA: 0,
  typical: 1,
  nSigma: 0,
  dynatempRange: 0,
  dynatempExponent: 1,
  xtcProbability: 0,
  xtcThreshold: 0.1,
  dryMultiplier: 0,
  dryBase: 1.75,
  dryAllowedLength: 2,
  dryRange: 1024,
  dryBreakers: ['\n', '。', '、', '「', '」', ':', '"', '*'],
  mirostat: 0,
  mirostatTau: 5,
  mirostatEta: 0.1,
  logitBias: [],
  order: [],
}

/** Fills in the fields that are not set, and breakers for DRY: servers refuse it without any. */
export function wholeSampler(sampler: Sampler): WholeSampler {
  const whole = { ...samplerOff, ...sampler } as WholeSampler
  return whole.dryBreakers.length > 0 ? whole : { ...whole, dryBreakers: samplerOff.dryBreakers }
}

/** A named sampler. `name` is the user's; a built-in one has none and is shown as `sampler.<id>`. */
export const SamplerPreset = z.object({
  id: z.string().min(1),
  name: z.string().min(1).optional(),
  isBuiltIn: z.boolean(),
  sampler: Sampler,
})
export type SamplerPreset = z.infer<typeof SamplerPreset>
