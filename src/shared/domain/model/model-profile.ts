import { z } from 'zod'

/** The wire APIs that a profile can name. `demo` is scripted text without any AI and says so everywhere. */
export const Backend = z.enum(['koboldcpp', 'openai', 'embedded', 'demo'])
export type Backend = z.infer<typeof Backend>

/**
 * How long a request may be silent before it fails with `model/timeout`.
 *
 * Units: milliseconds. `firstTokenMs` allows for a queue and a long prompt; `idleMs` is the gap between tokens.
 */
export const ModelTimeouts = z.object({
  connectMs: z.int().min(100).max(600_000),
  firstTokenMs: z.int().min(1000).max(7_200_000),
  idleMs: z.int().min(1000).max(3_600_000),
})
export type ModelTimeouts = z.infer<typeof ModelTimeouts>

export const defaultTimeouts: ModelTimeouts = { connectMs: 5_000, firstTokenMs: 600_000, idleMs: 60_000 }

/** `http://` or `https://` with a host; a path prefix is allowed, user names and queries are not. */
export const ServerAddress = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !/[?#@]/.test(text), { error: 'no query, fragment or user' })

const common = {
  id: z.string().min(1),
  name: z.string().trim().min(1).max(200),
  templateId: z.string().min(1),
  /** Nobody has confirmed the template: it was guessed by what the server or the file tells. */
  isTemplateGuessed: z.boolean().optional(),
  samplerPresetId: z.string().min(1),
  timeouts: ModelTimeouts,
  /** The user's own figure; absent: what the server or the file says. */
  contextTokens: z.int().min(256).max(10_000_000).optional(),
  /** Of requests that a session makes for decisions and calls of tools; absent: 0.2. */
  toolTemperature: z.number().min(0).max(2).optional(),
}

/** KoboldCpp by its native API. The key itself stays in the host's secret store. */
export const KoboldProfile = z.object({
  ...common,
  backend: z.literal('koboldcpp'),
  address: ServerAddress,
  hasKey: z.boolean(),
})
export type KoboldProfile = z.infer<typeof KoboldProfile>

/** Whose server it is that speaks OpenAI's API: each tells other things of itself. `other`: OpenAI and the rest. */
export const OpenaiFlavour = z.enum(['llama.cpp', 'ollama', 'lm-studio', 'vllm', 'other'])
export type OpenaiFlavour = z.infer<typeof OpenaiFlavour>

/**
 * How a server goes on in a begun text: `/v1/completions` takes the prompt as it is; a chat goes on in a begun
 * answer; or it only answers, and the begun line stands in an instruction.
 */
export const Continuation = z.enum(['completions', 'prefill', 'instruction'])
export type Continuation = z.infer<typeof Continuation>

/** A server with OpenAI's API; `address` may end with the API's version. The key stays in the secret store. */
export const OpenaiProfile = z.object({
  ...common,
  backend: z.literal('openai'),
  address: ServerAddress,
  model: z.string().trim().min(1).max(500),
  /** Absent: found out when it is first asked. */
  flavour: OpenaiFlavour.optional(),
  hasKey: z.boolean(),
  /** What the last test found, for servers that do not say it themselves. */
  canCallTools: z.boolean().optional(),
  /** The user's own word on whether the model takes images; absent: what the server, or the model's name, says. */
  takesImages: z.boolean().optional(),
  /** What a trial found; absent: not tried yet. */
  continuation: Continuation.optional(),
})
export type OpenaiProfile = z.infer<typeof OpenaiProfile>

/** A GGUF file on this machine, run by the embedded engine. */
const EmbeddedProfile = z.object({
  ...common,
  backend: z.literal('embedded'),
  file: z.string().min(1),
})

const DemoProfile = z.object({ ...common, backend: z.literal('demo'), language: z.enum(['ja', 'en']) })

/** Which model answers, where it is, and how it is asked. */
export const ModelProfile = z.discriminatedUnion('backend', [
  KoboldProfile,
  OpenaiProfile,
  EmbeddedProfile,
  DemoProfile,
])
export type ModelProfile = z.infer<typeof ModelProfile>

/** Who a request is for; an empty *fast* role is served by *main*. */
export const ModelRole = z.enum(['main', 'fast', 'ahead'])
export type ModelRole = z.infer<typeof ModelRole>
