import { z } from 'zod'
import type { OpenaiHttp } from './openai-http.ts'

/** The facts that a server gives about one of its models. Null: not given. Units: tokens. */
export type OpenaiFacts = {
  modelName: string
  version: string | null
  contextTokens: number | null
  hasTools: boolean | null
  hasImages: boolean | null
  /** The control tokens in the model's template and vocabulary; empty where the server does not show these. */
  ownTokens: string[]
  /** Number of requests that the server handles at the same time; absent: not known. */
  slots?: number
  /** Read once for each `stamp`, since it is large. */
  vocabulary?: { stamp: string; controlTokens: string[] }
}

export const size = z.number().int().positive()

export const LlamaProps = z.object({
  // A router for several models has no window of its own and says 0.
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
/** A list of models. The context window has a different field in each server. */
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

const VllmTokens = z.object({ tokens: z.array(z.unknown()), token_strs: z.array(z.string()).nullish() })

/**
 * Returns the tokens of a text, special ones parsed, and their texts where the server's version gives these.
 *
 * Errors: `model/…`. Source: https://docs.vllm.ai "Tokenizer API".
 */
export function vllmTokens(
  http: OpenaiHttp,
  model: string,
  prompt: string,
  signal: AbortSignal,
): Promise<z.output<typeof VllmTokens>> {
  const body = { model, prompt, add_special_tokens: false, return_token_strs: true }
  return http.post('/tokenize', body, VllmTokens, signal)
}
