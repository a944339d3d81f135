import { AppError, isAppError } from '../../../shared/errors.ts'
import { LlamaProps, type OpenaiFacts, ServedModels } from '../client/openai-facts.ts'
import { isUnanswered, isUnknownPath } from '../client/openai-faults.ts'
import type { OpenaiHttp } from '../client/openai-http.ts'
import { commonSampler } from '../client/sampler-table.ts'
import type { FactQuestion, Flavour } from './flavour.ts'

/** OpenAI itself and every server that is not known, of which nothing is expected beyond OpenAI's own API. */
export const other: Flavour = {
  usualPort: null,
  readFacts: servedFacts,
  sampler: commonSampler,
  completion: 'instruction',
  wrapsPrompts: false,
  hasCounter: false,
  hasReuseCount: false,
  hasGbnf: false,
  canBanEnd: false,
  cutsSilently: false,
  stopLimit: 4,
  isBatching: false,
}

/** Returns the facts about a model of which a server tells nothing. */
export function unknown(modelName: string): OpenaiFacts {
  return { modelName, version: null, contextTokens: null, hasTools: null, hasImages: null, ownTokens: [] }
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

/** Returns the answer to a flavour's own question; null where the server answers something else. Errors: `model/…`. */
export async function ownAnswer<T>(question: Promise<T>): Promise<T | null> {
  try {
    return await question
  } catch (error) {
    if (isUnanswered(error) || isAppError(error, 'model/bad-request')) return null
    throw error
  }
}

/**
 * Reads the facts that stand in the list of models, where each server has another field for the window. Some services
 * have no such list, and tell nothing.
 */
export async function servedFacts({ http, model, signal }: FactQuestion): Promise<OpenaiFacts> {
  const { data } = await http.models(ServedModels, signal).catch((error: unknown) => {
    if (isUnknownPath(error)) return { data: [] }
    throw error
  })
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
