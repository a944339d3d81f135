import { z } from 'zod'
import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { AppError } from '../../../shared/errors.ts'
import type { OpenaiHttp } from './openai-http.ts'

/** What a server says of one of its models. Null: it does not say. Units: tokens. */
export type OpenaiFacts = {
  modelName: string
  version: string | null
  contextTokens: number | null
  hasTools: boolean | null
  hasImages: boolean | null
  /** The control tokens that its template and its vocabulary name; empty where the server does not show them. */
  ownTokens: string[]
  /** Requests that it works on at the same time; absent: not known. */
  slots?: number
  /** Asked once for each `stamp`, since it is large. */
  vocabulary?: { stamp: string; controlTokens: string[] }
}

const size = z.number().int().positive()

export const LlamaProps = z.object({
  // The router of several models has none of its own and says 0.
  default_generation_settings: z.object({ n_ctx: z.number().int().min(0) }),
  build_info: z.string().nullish(),
  model_alias: z.string().nullish(),
  chat_template: z.string().nullish(),
  bos_token: z.string().nullish(),
  eos_token: z.string().nullish(),
  total_slots: z.int().min(1).nullish(),
  modalities: z.object({ vision: z.boolean().nullish() }).nullish(),
  chat_template_caps: z.object({ supports_tools: z.boolean().nullish() }).nullish(),
})
export const OllamaVersion = z.object({ version: z.string() })
const OllamaShow = z.object({
  modified_at: z.string().nullish(),
  parameters: z.string().nullish(),
  template: z.string().nullish(),
  capabilities: z.array(z.string()).nullish(),
})
const OllamaRunning = z.object({
  models: z.array(z.object({ name: z.string(), context_length: size.nullish() })),
})
export const LmStudioModels = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      state: z.string(),
      loaded_context_length: size.nullish(),
      capabilities: z.array(z.string()).nullish(),
    }),
  ),
})
/** Where servers say it, each by a name of its own. */
export const ServedModels = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      owned_by: z.string().nullish(),
      max_model_len: size.nullish(),
      context_length: size.nullish(),
      context_window: size.nullish(),
      max_context_length: size.nullish(),
      max_input_tokens: size.nullish(),
      context_size: size.nullish(),
      meta: z.object({ n_ctx: size.nullish() }).nullish(),
      architecture: z.object({ input_modalities: z.array(z.string()).nullish() }).nullish(),
      top_provider: z.object({ context_length: size.nullish() }).nullish(),
    }),
  ),
})

export type AskFacts = {
  http: OpenaiHttp
  model: string
  signal: AbortSignal
  loadMs: number
  /** What it said before. */
  before?: OpenaiFacts | undefined
}

/**
 * Asks a server about one of its models. `loadMs`: how long a model may take to be loaded.
 *
 * Errors: `model/…`; `model/bad-response` where it is not a server of this kind.
 */
export function readOpenaiFacts(flavour: OpenaiFlavour, ask: AskFacts): Promise<OpenaiFacts> {
  switch (flavour) {
    case 'llama.cpp':
      return llamaFacts(ask)
    case 'ollama':
      return ollamaFacts(ask)
    case 'lm-studio':
      return lmStudioFacts(ask)
    case 'vllm':
    case 'other':
      return servedFacts(ask)
  }
}

/** `n_ctx` is a slot's share, or all of a cache that slots share: no answer tells which. */
async function llamaFacts({ http, model, signal }: AskFacts): Promise<OpenaiFacts> {
  let props = await http.get('/props', LlamaProps, signal)
  if (props.default_generation_settings.n_ctx === 0) {
    const path = `/props?model=${encodeURIComponent(model)}&autoload=false`
    // A model of a router that is not loaded says nothing yet.
    props = await http.get(path, LlamaProps, signal).catch(() => props)
  }
  const { tokensOfTemplate } = await import('../completion/template-tokens.ts')
  return {
    modelName: props.model_alias && props.default_generation_settings.n_ctx > 0 ? props.model_alias : model,
    version: props.build_info ?? null,
    contextTokens: props.default_generation_settings.n_ctx || null,
    hasTools: props.chat_template_caps?.supports_tools ?? null,
    hasImages: props.modalities?.vision ?? null,
    ownTokens: [
      ...tokensOfTemplate(props.chat_template ?? ''),
      ...[props.bos_token, props.eos_token].filter((token) => typeof token === 'string'),
    ],
    slots: props.total_slots ?? 1,
  }
}

/**
 * Not `model_info`'s length, with which the model was trained: Ollama loads it with less and cuts what is over
 * silently. Only a loaded model tells, so that it is loaded, as its first request would.
 *
 * Source: https://docs.ollama.com/api, "show", "ps", "generate" (no prompt: the model is loaded).
 */
async function ollamaFacts(ask: AskFacts): Promise<OpenaiFacts> {
  const { http, model, signal, loadMs } = ask
  const { version } = await http.get('/api/version', OllamaVersion, signal)
  const shown = await http.post('/api/show', { model }, OllamaShow, signal)
  const { capabilities, parameters, template } = shown
  const { tokensOfTemplate } = await import('../completion/template-tokens.ts')
  const { ollamaVocabulary } = await import('./ollama-vocabulary.ts')
  const vocabulary = await ollamaVocabulary(ask, shown.modified_at ?? '')
  const running = async () => {
    const { models } = await http.get('/api/ps', OllamaRunning, signal)
    return models.find(({ name }) => name === model || name === `${model}:latest`)
  }
  let loaded = await running()
  if (loaded === undefined) {
    await http.post('/api/generate', { model, stream: false }, z.object({}), signal, loadMs)
    loaded = await running()
  }
  const chosen = /^num_ctx\s+(\d+)/m.exec(parameters ?? '')?.[1]
  return {
    modelName: model,
    version,
    contextTokens: loaded?.context_length ?? (chosen === undefined ? null : Number(chosen)),
    hasTools: capabilities ? capabilities.includes('tools') : null,
    hasImages: capabilities ? capabilities.includes('vision') : null,
    ownTokens: [...tokensOfTemplate(template ?? ''), ...(vocabulary?.controlTokens ?? [])],
    ...(vocabulary === undefined ? {} : { vocabulary }),
  }
}

/** A model that is not loaded yet says only what it could be loaded with. */
async function lmStudioFacts({ http, model, signal }: AskFacts): Promise<OpenaiFacts> {
  const { data } = await http.get('/api/v0/models', LmStudioModels, signal)
  const found = data.find(({ id }) => id === model)
  return {
    modelName: model,
    version: null,
    contextTokens: found?.loaded_context_length ?? null,
    hasTools: found?.capabilities ? found.capabilities.includes('tool_use') : null,
    // A model that sees is of the type `vlm` there.
    hasImages: found === undefined ? null : found.type === 'vlm',
    ownTokens: [],
  }
}

/** A proxy before a llama.cpp server may let its properties through. */
async function propsWindow(http: OpenaiHttp, signal: AbortSignal): Promise<number | null> {
  if (http.address.startsWith('https:')) return null
  try {
    const props = await http.get('/props', LlamaProps, signal)
    return props.default_generation_settings.n_ctx || null
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) return null
    throw error
  }
}

async function servedFacts({ http, model, signal }: AskFacts): Promise<OpenaiFacts> {
  const { data } = await http.models(ServedModels, signal)
  const found = data.find(({ id }) => id === model)
  const told =
    found?.max_model_len ??
    found?.meta?.n_ctx ??
    found?.top_provider?.context_length ??
    found?.context_length ??
    found?.context_window ??
    found?.max_context_length ??
    found?.max_input_tokens ??
    found?.context_size
  return {
    modelName: model,
    version: null,
    contextTokens: told ?? (await propsWindow(http, signal)),
    hasTools: null,
    // Source: OpenRouter's list of models, `architecture.input_modalities`.
    hasImages: found?.architecture?.input_modalities?.includes('image') ?? null,
    ownTokens: [],
  }
}
