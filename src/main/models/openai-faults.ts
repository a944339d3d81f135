import { z } from 'zod'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'

const Told = z.object({
  message: z.string().default(''),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  param: z.string().nullish(),
  n_prompt_tokens: z.number().optional(),
  n_ctx: z.number().optional(),
})
type Told = z.infer<typeof Told>

/** What servers say of a failure: an object, a sentence by itself, or (older vLLM) the object without its name. */
const Failure = z.union([
  z.object({ error: z.union([z.string(), Told]) }),
  Told.extend({ object: z.literal('error') }),
])

/** A server's refusal, as the cause of an error: `param` is the field of the request that it would not take. */
export class ServerRefusal extends Error {
  readonly param: string | null

  constructor(message: string, param: string | null) {
    super(message)
    this.name = 'ServerRefusal'
    this.param = param
  }
}

const longestReason = 200
const busyStatuses = [408, 429, 502, 503, 504, 529]
const refusedStatuses = [400, 413, 422]

/**
 * The error of an answer that is not 200.
 *
 * Source: ../shared/llama-server/API.md, "HTTP layer"; OpenAI's error object is the same but for its names.
 */
export function openaiFault(address: string, status: number, text: string): AppError {
  const told = tell(text)
  const known = told === null ? null : knownFault(address, told)
  if (known !== null) return known
  if (status === 401 || status === 403) return new AppError({ code: 'model/unauthorized', address })
  if (busyStatuses.includes(status)) return new AppError({ code: 'model/busy', address })
  const reason = clip(told?.message || text)
  const cause = new ServerRefusal(reason, told?.param ?? null)
  // A page in place of an answer is another server's; an error of this API is about the request.
  if (told !== null && refusedStatuses.includes(status)) {
    return new AppError({ code: 'model/bad-request', reason }, { cause })
  }
  return new AppError({ code: 'model/bad-response', address, reason: `HTTP ${status}: ${reason}` }, { cause })
}

/** The error of an `error` that came in a stream that had begun with 200. */
export function openaiStreamFault(address: string, error: unknown): AppError {
  const told = read({ error })
  const known = told === null ? null : knownFault(address, told)
  if (known !== null) return known
  const reason = clip(told?.message || JSON.stringify(error ?? null))
  return new AppError({ code: 'model/bad-response', address, reason })
}

/** The field that a server would not take, where it named one. */
export function refusedField(error: unknown): string | null {
  return error instanceof Error && error.cause instanceof ServerRefusal ? error.cause.param : null
}

function knownFault(address: string, told: Told): AppError | null {
  const overflow = overflowOf(told)
  if (overflow !== null) return new AppError(overflow)
  // Slots that share one cache: others fill it. A prompt that is too long by itself is refused with figures.
  if (/context size has been exceeded/i.test(told.message))
    return new AppError({ code: 'model/busy', address })
  if (told.type === 'authentication_error') return new AppError({ code: 'model/unauthorized', address })
  if (told.type === 'unavailable_error') return new AppError({ code: 'model/busy', address })
  return null
}

function overflowOf({ type, code, message, ...told }: Told): ErrorInfo | null {
  if (type === 'exceed_context_size_error') {
    return {
      code: 'model/context-overflow',
      usedTokens: told.n_prompt_tokens ?? 0,
      limitTokens: told.n_ctx ?? 0,
    }
  }
  if (code !== 'context_length_exceeded' && !/maximum context length/i.test(message)) return null
  const [limitTokens, usedTokens] = (message.match(/\d{3,}/g) ?? []).map(Number)
  if (limitTokens === undefined || usedTokens === undefined) return null
  return { code: 'model/context-overflow', usedTokens, limitTokens }
}

function tell(text: string): Told | null {
  try {
    return read(JSON.parse(text))
  } catch {
    return null
  }
}

function read(value: unknown): Told | null {
  const { data } = Failure.safeParse(value)
  if (data === undefined) return null
  if (!('error' in data)) return data
  return typeof data.error === 'string' ? { message: data.error } : data.error
}

function clip(text: string): string {
  return text.trim().slice(0, longestReason)
}
