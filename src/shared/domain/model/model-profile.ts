import { z } from 'zod'

/**
 * The wire APIs that a profile can name, each with its brand name, which is not translated; null: a window names it in
 * the user's language (`backend.…` in `i18n`). `demo` is scripted text without any AI and says so everywhere.
 */
export const backendNames = { koboldcpp: 'KoboldCpp', openai: null, embedded: null, demo: null } as const
export const Backend = z.enum(Object.keys(backendNames) as (keyof typeof backendNames)[])
export type Backend = z.infer<typeof Backend>

/** Silence in ms before `model/timeout`: `firstTokenMs` with queue and prompt, `idleMs` between tokens. */
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

/** KoboldCpp by its native API. */
const KoboldChoice = z.object({ backend: z.literal('koboldcpp'), address: ServerAddress })

/** A server with OpenAI's API; `address` may end with the API's version. */
const OpenaiChoice = z.object({
  backend: z.literal('openai'),
  address: ServerAddress,
  model: z.string().trim().min(1).max(500),
  /** Absent: detected at the first request. */
  flavour: OpenaiFlavour.optional(),
})

/** A GGUF file on this machine, run by the embedded engine. */
const EmbeddedChoice = z.object({ backend: z.literal('embedded'), file: z.string().min(1) })

const DemoChoice = z.object({ backend: z.literal('demo'), language: z.enum(['ja', 'en']) })

/** The fields that identify a model of a server. */
export const ServedChoice = z.discriminatedUnion('backend', [KoboldChoice, OpenaiChoice])
export type ServedChoice = z.infer<typeof ServedChoice>

/** The fields that identify a model and suffice to use it without a form. Its profile has the same fields, and more. */
export const ModelChoice = z.discriminatedUnion('backend', [
  ...ServedChoice.options,
  EmbeddedChoice,
  DemoChoice,
])
export type ModelChoice = z.infer<typeof ModelChoice>

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

/**
 * How a server continues a text that was begun. `completions`: `/v1/completions` takes the prompt as it is. `prefill`:
 * a chat continues an answer that was begun. `instruction`: the server only answers, so an instruction holds the
 * begun line.
 */
export const Continuation = z.enum(['completions', 'prefill', 'instruction'])
export type Continuation = z.infer<typeof Continuation>

/** The key itself stays in the host's secret store. */
const served = { ...common, hasKey: z.boolean() }

export const OpenaiProfile = z.object({
  ...served,
  ...OpenaiChoice.shape,
  /** The result of the last test, for servers that do not report it themselves. */
  canCallTools: z.boolean().optional(),
  /** The user's own choice whether the model takes images; absent: as the server, or the model's name, says. */
  takesImages: z.boolean().optional(),
  /** The result of a trial; absent: not tried yet. */
  continuation: Continuation.optional(),
})
export type OpenaiProfile = z.infer<typeof OpenaiProfile>

/** Which model answers, where it is, and how it is asked. */
export const ModelProfile = z.discriminatedUnion('backend', [
  z.object({ ...served, ...KoboldChoice.shape }),
  OpenaiProfile,
  z.object({ ...common, ...EmbeddedChoice.shape }),
  z.object({ ...common, ...DemoChoice.shape }),
])
export type ModelProfile = z.infer<typeof ModelProfile>
/** A profile of a model that is used over the network. */
export type ServedProfile = Extract<ModelProfile, { address: string }>

/** The model that a request goes to. `speculation` serves speculations. Where `fast` is not set, `main` serves it. */
export const ModelRole = z.enum(['main', 'fast', 'speculation'])
export type ModelRole = z.infer<typeof ModelRole>
