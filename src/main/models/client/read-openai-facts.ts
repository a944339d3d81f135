import { z } from 'zod'
import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { isNameInSigns, tokensOfTemplate } from '../completion/marker-forms.ts'
import {
  LlamaProps,
  LmStudioModels,
  OllamaVersion,
  type OpenaiFacts,
  ServedModels,
  size,
} from './openai-facts.ts'
import type { OpenaiHttp } from './openai-http.ts'

const OllamaShow = z.object({
  modified_at: z.string().nullish(),
  parameters: z.string().nullish(),
  template: z.string().nullish(),
  capabilities: z.array(z.string()).nullish(),
})
const OllamaRunning = z.object({
  models: z.array(z.object({ name: z.string(), context_length: size.nullish() })),
})
const OllamaVocabulary = z.object({
  model_info: z
    .object({
      'tokenizer.ggml.tokens': z.array(z.string()).nullish(),
      'tokenizer.ggml.token_type': z.array(z.number()).nullish(),
    })
    .nullish(),
})

type AskFacts = {
  http: OpenaiHttp
  model: string
  signal: AbortSignal
  loadMs: number
  /** The facts that the server gave at an earlier call; absent at the first call. */
  before?: OpenaiFacts | undefined
}

/**
 * Asks a server about one of its models. `loadMs`: how long a model may take to be loaded.
 *
 * Errors: `model/…`; `model/bad-response` where it is not a server of this kind.
 */
export function readOpenaiFacts(flavour: OpenaiFlavour, ask: AskFacts): Promise<OpenaiFacts> {
  if (flavour === 'llama.cpp') return llamaFacts(ask)
  if (flavour === 'ollama') return ollamaFacts(ask)
  return flavour === 'lm-studio' ? lmStudioFacts(ask) : servedFacts(ask)
}

/** Reads llama.cpp's facts. `n_ctx` is a slot's share, or all of a cache that slots share: no answer tells which. */
async function llamaFacts({ http, model, signal }: AskFacts): Promise<OpenaiFacts> {
  let props = await http.get('/props', LlamaProps, signal)
  if (props.default_generation_settings.n_ctx === 0) {
    const path = `/props?model=${encodeURIComponent(model)}&autoload=false`
    // For a model of a router that is not loaded there are no facts yet.
    props = await http.get(path, LlamaProps, signal).catch(() => props)
  }
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
 * Reads Ollama's facts. The length in `model_info`, with which the model was trained, is not used: Ollama loads the
 * model with less and silently cuts longer prompts. Only a loaded model tells its window, so the model is loaded, as
 * its first request would do.
 *
 * Source: https://docs.ollama.com/api, "show", "ps", "generate" (no prompt: the model is loaded).
 */
async function ollamaFacts(ask: AskFacts): Promise<OpenaiFacts> {
  const { http, model, signal, loadMs } = ask
  const { version } = await http.get('/api/version', OllamaVersion, signal)
  const shown = await http.post('/api/show', { model }, OllamaShow, signal)
  const { capabilities, parameters, template } = shown
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

/** Source: the GGUF format, `tokenizer.ggml.token_type`. */
const tokenTypes = { control: 3, userDefined: 4 }

/**
 * Returns the control tokens of the model's file, and those that its maker added by hand. Undefined: not told.
 *
 * Source: https://docs.ollama.com/api, "show", `verbose`: the tokenizer's lists, which are empty without it.
 */
async function ollamaVocabulary({ http, model, signal, loadMs, before }: AskFacts, stamp: string) {
  if (before?.vocabulary?.stamp === stamp) return before.vocabulary
  const body = { model, verbose: true }
  const shown = await http
    .post('/api/show', body, OllamaVocabulary, signal, loadMs)
    .catch((error: unknown) => {
      signal.throwIfAborted()
      if (!isAppError(error)) throw error
    })
  const info = shown?.model_info
  const texts = info?.['tokenizer.ggml.tokens'] ?? []
  const types = info?.['tokenizer.ggml.token_type'] ?? []
  if (texts.length === 0 || types.length === 0) return undefined
  const controlTokens = texts.filter(
    (text, id) =>
      types[id] === tokenTypes.control || (types[id] === tokenTypes.userDefined && isNameInSigns(text)),
  )
  return { stamp, controlTokens }
}

/** Returns the facts about a model of which a server tells nothing. */
function unknown(modelName: string): OpenaiFacts {
  return { modelName, version: null, contextTokens: null, hasTools: null, hasImages: null, ownTokens: [] }
}

/** Reads LM Studio's facts. A model that is not loaded has only its largest possible window, which is not used. */
async function lmStudioFacts({ http, model, signal }: AskFacts): Promise<OpenaiFacts> {
  const { data } = await http.get('/api/v0/models', LmStudioModels, signal)
  const found = data.find(({ id }) => id === model)
  return {
    ...unknown(model),
    contextTokens: found?.loaded_context_length ?? null,
    hasTools: found?.capabilities ? found.capabilities.includes('tool_use') : null,
    // LM Studio has the type `vlm` for models that take images.
    hasImages: found === undefined ? null : found.type === 'vlm',
  }
}

/** Reads the window from `/props`, which a proxy before a llama.cpp server may let through. */
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
    ...unknown(model),
    contextTokens: told ?? (await propsWindow(http, signal)),
    // Source: OpenRouter's list of models, `architecture.input_modalities`.
    hasImages: found?.architecture?.input_modalities?.includes('image') ?? null,
  }
}
