import { z } from 'zod'

/**
 * How the next token is chosen. Every field is always sent: a server's own defaults never apply.
 *
 * Units: `topK` and `repeatRange` in tokens. `topK` 0, `topP` 1, `minP` 0 and `repeatPenalty` 1 switch that
 * sampler off; `temperature` 0 takes the likeliest token.
 */
export const Sampler = z.object({
  temperature: z.number().min(0).max(5),
  topK: z.int().min(0).max(1000),
  topP: z.number().gt(0).max(1),
  minP: z.number().min(0).max(1),
  repeatPenalty: z.number().min(1).max(3),
  repeatRange: z.int().min(0).max(8192),
})
export type Sampler = z.infer<typeof Sampler>

/** A named sampler. `name` is the user's; a built-in one has none and is shown as `sampler.<id>`. */
export const SamplerPreset = z.object({
  id: z.string().min(1),
  name: z.string().min(1).optional(),
  isBuiltIn: z.boolean(),
  sampler: Sampler,
})
export type SamplerPreset = z.infer<typeof SamplerPreset>
