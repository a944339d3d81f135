import { z } from 'zod'
import { isAppError } from '../../../shared/errors.ts'
import { type OpenaiFacts, size } from '../client/openai-facts.ts'
import { isNameInSigns, tokensOfTemplate } from '../completion/marker-forms.ts'
import type { FactQuestion, Flavour } from './flavour.ts'
import { other, ownAnswer } from './other.ts'

const OllamaVersion = z.object({ version: z.string() })
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

/**
 * Its `completions` applies the model's template.
 *
 * Source: https://docs.ollama.com/api/openai-compatibility (the fields that it takes).
 */
export const ollama: Flavour = {
  ...other,
  usualPort: 11434,
  mark: { path: '/api/version', shape: OllamaVersion },
  readFacts: ollamaFacts,
  wrapsPrompts: true,
  cutsSilently: true,
  stopLimit: 32,
}

/**
 * Reads Ollama's facts. The length in `model_info`, with which the model was trained, is not used: Ollama loads the
 * model with less and silently cuts longer prompts. Only a loaded model tells its window, so the model is loaded, as
 * its first request would do.
 *
 * Source: https://docs.ollama.com/api, "show", "ps", "generate" (no prompt: the model is loaded).
 */
async function ollamaFacts(ask: FactQuestion): Promise<OpenaiFacts | null> {
  const { http, model, signal, loadMs } = ask
  const answer = await ownAnswer(http.get('/api/version', OllamaVersion, signal))
  if (answer === null) return null
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
    version: answer.version,
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
async function ollamaVocabulary({ http, model, signal, loadMs, before }: FactQuestion, stamp: string) {
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
