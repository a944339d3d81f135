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
  /** The template was guessed from what the server or the file reports, and the user has not confirmed it. */
  isTemplateGuessed: z.boolean().optional(),
  /** The model that a server served when its template was guessed; absent: it has given no evidence yet. */
  templateGuessedFor: z.string().optional(),
  samplerPresetId: z.string().min(1),
  timeouts: ModelTimeouts,
  /** The user's own figure; absent: the figure of the server or the file. */
  contextTokens: z.int().min(256).max(10_000_000).optional(),
  /** For a session's requests for decisions and tool calls; absent: 0.2. */
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

/**
 * The software that serves OpenAI's API, each with its brand name, which is not translated. `other`: OpenAI and all
 * the rest, which a window names in the user's language.
 */
export const flavourNames = {
  'llama.cpp': 'llama.cpp',
  ollama: 'Ollama',
  'lm-studio': 'LM Studio',
  vllm: 'vLLM',
  other: null,
} as const

/** A server's kind, since each reports other facts about itself. */
export const OpenaiFlavour = z.enum(Object.keys(flavourNames) as (keyof typeof flavourNames)[])
export type OpenaiFlavour = z.infer<typeof OpenaiFlavour>

/**
 * How a server continues a text that was begun. `completions`: `/v1/completions` takes the prompt as it is. `prefill`:
 * a chat continues an answer that was begun. `instruction`: the server only answers, so an instruction holds the
 * begun line.
 */
export const Continuation = z.enum(['completions', 'prefill', 'instruction'])
export type Continuation = z.infer<typeof Continuation>

/** A server with OpenAI's API; `address` may end with the API's version. The key stays in the secret store. */
export const OpenaiProfile = z.object({
  ...common,
  backend: z.literal('openai'),
  address: ServerAddress,
  model: z.string().trim().min(1).max(500),
  /** Absent: detected at the first request. */
  flavour: OpenaiFlavour.optional(),
  hasKey: z.boolean(),
  /** The result of the last test, for servers that do not report it themselves. */
  canCallTools: z.boolean().optional(),
  /** The user's own choice whether the model takes images; absent: as the server, or the model's name, says. */
  takesImages: z.boolean().optional(),
  /** The result of a trial; absent: not tried yet. */
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

/** The model that a request goes to. `speculation` serves speculations. Where `fast` is not set, `main` serves it. */
export const ModelRole = z.enum(['main', 'fast', 'speculation'])
export type ModelRole = z.infer<typeof ModelRole>
