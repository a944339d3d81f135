import { z } from 'zod'
import type { OpenaiHttp } from './openai-http.ts'

const Tokens = z.object({ tokens: z.array(z.unknown()), token_strs: z.array(z.string()).nullish() })

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
): Promise<z.output<typeof Tokens>> {
  const body = { model, prompt, add_special_tokens: false, return_token_strs: true }
  return http.post('/tokenize', body, Tokens, signal)
}
