import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { Backend } from './model-profile.ts'
import { SamplerField } from './sampler.ts'

/**
 * `none`: no profile is chosen. `starting`: waits for the first answer, or for loading. `ready`: the model answered.
 * `unreachable`: no answer, or one that is not this backend's. `crashed`: the embedded engine died twice.
 */
const ModelState = z.enum(['none', 'starting', 'ready', 'unreachable', 'crashed'])

/** What tells a context length: the profile, server, model file or table of names; `assumed`: nothing. */
export const ContextSource = z.enum(['profile', 'server', 'file', 'name', 'assumed'])
export type ContextSource = z.infer<typeof ContextSource>

export const ModelStatus = z.object({
  state: ModelState,
  profileId: z.string().nullable(),
  profileName: z.string().nullable(),
  backend: Backend.nullable(),
  modelName: z.string().nullable(),
  contextTokens: z.int().positive().nullable(),
  contextSource: ContextSource.nullable(),
  /** True where no real tokenizer is at hand: counts are labelled estimates. */
  isEstimateOnly: z.boolean(),
  /** Abilities that the drafting settings need and not every backend has; absent: not known. */
  canBanPhrases: z.boolean().optional(),
  canBanEnd: z.boolean().optional(),
  tellsChances: z.boolean().optional(),
  /** The sampler fields that the backend takes; absent: not known. */
  samplers: z.array(SamplerField).optional(),
  /** The model calls tools natively, as it reports or as a trial has found; absent: not known. */
  canCallTools: z.boolean().optional(),
  /** The model takes images; absent: not known. */
  canTakeImages: z.boolean().optional(),
  /** BCP 47 tags of the languages that the model writes; empty: not known. */
  languages: z.array(z.string()),
  isDemo: z.boolean(),
  /** Why it is `unreachable` or `crashed`. */
  error: ErrorInfo.nullable(),
})
export type ModelStatus = z.infer<typeof ModelStatus>

/** The status while no profile is chosen. */
export const noModel: ModelStatus = {
  state: 'none',
  profileId: null,
  profileName: null,
  backend: null,
  modelName: null,
  contextTokens: null,
  contextSource: null,
  isEstimateOnly: true,
  languages: [],
  isDemo: false,
  error: null,
}

/** The cost of a request. `isReuseEstimated`: by our comparison with the last prompt, not by the backend's count. */
export const ModelUsage = z.object({
  promptTokens: z.int().min(0),
  reusedTokens: z.int().min(0).nullable(),
  isReuseEstimated: z.boolean(),
  completionTokens: z.int().min(0),
  /** Time until the first token, including a queue. */
  msPrompt: z.number().min(0),
  msTotal: z.number().min(0),
  tokensPerSecond: z.number().min(0),
  /** False where a count above is an estimate: the backend has no counter, or did not answer when it was asked. */
  isExact: z.boolean(),
})
export type ModelUsage = z.infer<typeof ModelUsage>

/**
 * How a completion ended. `stop`: the model's own end. `aborted`: the user's stop; the text so far is kept.
 */
export const CompletionEnd = z.enum(['stop', 'length', 'stop-sequence', 'aborted'])
export type CompletionEnd = z.infer<typeof CompletionEnd>
