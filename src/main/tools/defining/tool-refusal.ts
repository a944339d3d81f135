import { AppError, type ErrorInfo } from '../../../shared/errors.ts'
import { fillPlaces } from '../../prompts/fill-places.ts'
import type { Places, ResultKey } from './tool-words.ts'

/** A tool's reason for refusing a call: a sentence of `tool-words.json` and the values for its places. */
export class ToolRefusal extends Error {
  readonly key: ResultKey
  readonly values: Places

  constructor(key: ResultKey, values: Places = {}) {
    super(key)
    this.name = 'ToolRefusal'
    this.key = key
    this.values = values
  }
}

export type Refused = { text: string; error: ErrorInfo | null }

/** Returns what the model is told about an error. Throws it again where it is neither a refusal nor an AppError. */
export function refusedBy(
  error: unknown,
  words: { results: Record<ResultKey, string>; ofError: (info: ErrorInfo) => string },
): Refused {
  if (error instanceof ToolRefusal)
    return { text: fillPlaces(words.results[error.key], error.values), error: null }
  if (error instanceof AppError) return { text: words.ofError(error.info), error: error.info }
  throw error
}
