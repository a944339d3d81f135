import { AppError } from '../../../shared/errors.ts'
import type { CompletionRequest, ContextWindow } from '../client/model-client.ts'

const maxSeed = 2 ** 31 - 1

/**
 * Refuses values that no backend may get: KoboldCpp crashes on negative lengths and does not answer to wrong types.
 *
 * Errors: `model/bad-request`.
 */
export function checkRequest(request: Omit<CompletionRequest, 'prompt'>): void {
  const { maxTokens, seed } = request
  if (!Number.isInteger(maxTokens) || maxTokens < 1) bad(`maxTokens ${maxTokens}`)
  if (!Number.isInteger(seed) || seed < 0 || seed > maxSeed) bad(`seed ${seed}`)
  for (const [name, value] of Object.entries(request.sampler)) {
    const figures = name === 'logitBias' ? (request.sampler.logitBias ?? []).map(({ bias }) => bias) : [value]
    const isRight = (each: unknown) => Array.isArray(each) || each === undefined || Number.isFinite(each)
    if (!figures.every(isRight)) bad(`sampler.${name} ${value}`)
  }
}

/**
 * Refuses a prompt that the backend would cut silently from the front.
 *
 * Errors: `model/context-overflow`, `model/context-unknown`.
 */
export function checkRoom(promptTokens: number, maxTokens: number, context: ContextWindow | null): void {
  if (context === null) throw new AppError({ code: 'model/context-unknown' })
  const [usedTokens, limitTokens] = [promptTokens + maxTokens, context.tokens]
  if (usedTokens > limitTokens)
    throw new AppError({ code: 'model/context-overflow', usedTokens, limitTokens })
}

/** Returns text that every backend reads alike: no lone surrogates (refused), no NUL (text after it is ignored). */
export function wireText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

function bad(reason: string): never {
  throw new AppError({ code: 'model/bad-request', reason })
}
