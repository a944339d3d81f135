import type { ModelClient, Prompt } from '../../models/client/model-client.ts'

/** The control tokens between which a model fills in: the text before, the text after, what it writes. */
export type FimTokens = { prefix: string; suffix: string; middle: string }

/**
 * The tokens of the families of models that were taught to fill in.
 *
 * Source: llama.cpp, `llama-vocab.cpp`, where the `fim_…` tokens of a GGUF file are found by these texts.
 */
const families: readonly FimTokens[] = [
  { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' },
  { prefix: '<fim_prefix>', suffix: '<fim_suffix>', middle: '<fim_middle>' },
  { prefix: '<fim-prefix>', suffix: '<fim-suffix>', middle: '<fim-middle>' },
  { prefix: '<|code_prefix|>', suffix: '<|code_suffix|>', middle: '<|code_middle|>' },
  { prefix: '<｜fim▁begin｜>', suffix: '<｜fim▁hole｜>', middle: '<｜fim▁end｜>' },
]

/**
 * Finds a model's tokens for filling in, by its own tokenizer: each must be one token. Undefined where it has none, or
 * where nothing counts tokens.
 *
 * Errors: `tokens/unreachable`.
 */
export async function findFimTokens(
  { countTokens }: Pick<ModelClient, 'countTokens'>,
  signal: AbortSignal,
): Promise<FimTokens | undefined> {
  if (countTokens === null) return undefined
  for (const family of families) {
    let isWhole = true
    for (const text of [family.prefix, family.suffix, family.middle]) {
      const prompt: Prompt = [{ text, isSpecial: true }]
      isWhole = (await countTokens(prompt, signal, { isPiece: true })) === 1
      if (!isWhole) break
    }
    if (isWhole) return family
  }
  return undefined
}
