import { z } from 'zod'
import { isAppError } from '../../../shared/errors.ts'
import { isNameInSigns } from '../completion/marker-check.ts'
import type { AskFacts } from './openai-facts.ts'

const OllamaVocabulary = z.object({
  model_info: z
    .object({
      'tokenizer.ggml.tokens': z.array(z.string()).nullish(),
      'tokenizer.ggml.token_type': z.array(z.number()).nullish(),
    })
    .nullish(),
})
/** Source: the GGUF format, `tokenizer.ggml.token_type`. */
const tokenTypes = { control: 3, userDefined: 4 }

/**
 * The control tokens of the model's file, and those that its maker added by hand. Undefined where it did not say.
 *
 * Source: https://docs.ollama.com/api, "show", `verbose`: the tokenizer's lists, which are empty without it.
 */
export async function ollamaVocabulary({ http, model, signal, loadMs, before }: AskFacts, stamp: string) {
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
