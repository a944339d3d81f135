import { z } from 'zod'
import { AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import { parseJson } from '../../../shared/text/json.ts'
import type { Constraint } from './model-client.ts'
import { ServerBusy } from './retry.ts'

const Told = z.object({
  message: z.string().default(''),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  param: z.string().nullish(),
  n_prompt_tokens: z.number().optional(),
  n_ctx: z.number().optional(),
})
type Told = z.infer<typeof Told>

/**
 * The forms of a failure: an object, a sentence by itself, or (older vLLM) the object without the name `error`; and a
 * sentence as web frameworks (FastAPI) and proxies answer to paths that they do not know.
 */
const Failure = z.union([
  z.object({ error: z.union([z.string(), Told]) }),
  Told.extend({ object: z.literal('error') }),
  z.object({ detail: z.string() }),
  z.object({ message: z.string() }),
])

/** A server's refusal, as the cause of an error: `param` is the field of the request that the server refused. */
class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal'
  readonly param: string | null
  readonly status: number

  constructor(message: string, param: string | null, status: number) {
    super(message)
    this.param = param
    this.status = status
  }
}

const longestReason = 200
const busyStatuses = [408, 429, 502, 503, 504, 529]
/** Statuses for too many requests, or for a service that is not available: the server may say when to ask again. */
const laterStatuses = [429, 503]
const refusedStatuses = [400, 413, 422]
/** Statuses for a path, or a method at it, that the server does not have. */
const unknownStatuses = [404, 405, 501]

/**
 * Returns the error of an answer whose status is not 200.
 *
 * Source: llama-server as measured; OpenAI's error object is the same but for its names.
 */
export function openaiFault(
  address: string,
  status: number,
  text: string,
  waitMs: number | null = null,
): AppError {
  const told = read(parseJson(text))
  const known = told === null ? null : knownFault(address, told)
  if (laterStatuses.includes(status) && (known === null || known.info.code === 'model/busy'))
    return new AppError({ code: 'model/busy', address }, { cause: new ServerBusy(waitMs) })
  if (known !== null) return known
  if (status === 401 || status === 403) return new AppError({ code: 'model/unauthorized', address })
  if (busyStatuses.includes(status)) return new AppError({ code: 'model/busy', address })
  const reason = clip(told?.message || text)
  // Some servers name the refused field only in their message: that of the answer's length.
  const field = told?.param ?? (/\bmax_tokens\b/.test(reason) ? 'max_tokens' : null)
  const cause = new ServerRefusal(reason, field, status)
  // A web page as the answer comes from another kind of server; an error of this API is about the request.
  if (told !== null && refusedStatuses.includes(status))
    return new AppError({ code: 'model/bad-request', reason }, { cause })
  const code = told === null ? 'model/bad-response' : 'model/server-error'
  return new AppError({ code, address, reason: `HTTP ${status}: ${reason}` }, { cause })
}

/** True where a server answered, but not to this question: with an error, or with something else than was asked. */
export function isUnanswered(error: unknown): boolean {
  return isAppError(error, 'model/server-error') || isAppError(error, 'model/bad-response')
}

/** True where a server said, as an API does, that it does not know a path. */
export function isUnknownPath(error: unknown): boolean {
  if (!isAppError(error, 'model/server-error')) return false
  return error.cause instanceof ServerRefusal && unknownStatuses.includes(error.cause.status)
}

/** Returns the error for an `error` in a stream that had begun with status 200. */
export function openaiStreamFault(address: string, error: unknown): AppError {
  const told = read({ error })
  const known = told === null ? null : knownFault(address, told)
  if (known !== null) return known
  const reason = clip(told?.message || JSON.stringify(error ?? null))
  return new AppError({ code: told === null ? 'model/bad-response' : 'model/server-error', address, reason })
}

/** Returns the field that a server refused, where it named one. */
export function refusedField(error: unknown): string | null {
  return error instanceof Error && error.cause instanceof ServerRefusal ? error.cause.param : null
}

function knownFault(address: string, told: Told): AppError | null {
  const overflow = overflowOf(told)
  if (overflow !== null) return new AppError(overflow)
  // Other slots have filled a shared cache. A prompt that is too long by itself is refused with figures.
  if (/context size has been exceeded/i.test(told.message))
    return new AppError({ code: 'model/busy', address })
  if (told.type === 'authentication_error') return new AppError({ code: 'model/unauthorized', address })
  if (told.type === 'unavailable_error') return new AppError({ code: 'model/busy', address })
  return null
}

/**
 * Messages with which servers refuse a prompt for its length.
 *
 * Source: OpenAI, vLLM and DeepSeek (`maximum context length is 8192 tokens`), Mistral (`too large for model with
 * 32768 maximum context length`), Anthropic (`prompt is too long: 210000 tokens > 200000 maximum`), Google (`The
 * input token count (…) exceeds the maximum number of tokens allowed`), LM Studio (`context length of only 4096
 * tokens`), DashScope (`Range of input length should be [1, 30720]`), Groq (`Please reduce the length of the
 * messages`).
 */
const overflowWords = [
  /maximum context length/i,
  /prompt is too long/i,
  /input token count.*exceeds/i,
  /context length of only/i,
  /range of input length should be/i,
  /reduce the length of the (messages|prompt|input)/i,
]

function overflowOf({ type, code, message, ...told }: Told): ErrorInfo | null {
  if (type === 'exceed_context_size_error') {
    const { n_prompt_tokens: usedTokens = 0, n_ctx: limitTokens = 0 } = told
    return { code: 'model/context-overflow', usedTokens, limitTokens }
  }
  if (code !== 'context_length_exceeded' && !overflowWords.some((words) => words.test(message))) return null
  const figures = (message.replaceAll(',', '').match(/\d{3,}/g) ?? []).map(Number)
  const [first = 0, second] = figures
  // Of two figures the smaller one is the window, since the prompt does not fit. A single figure is the window.
  const limitTokens = Math.min(first, second ?? first)
  const usedTokens = second === undefined ? 0 : Math.max(first, second)
  return { code: 'model/context-overflow', usedTokens, limitTokens }
}

function read(value: unknown): Told | null {
  const { data } = Failure.safeParse(value)
  if (data === undefined) return null
  if ('detail' in data) return { message: data.detail }
  if (!('error' in data)) return data
  return typeof data.error === 'string' ? { message: data.error } : data.error
}

function clip(text: string): string {
  return text.trim().slice(0, longestReason)
}

/** Words that servers use for the part of a request with a schema. */
const aboutSchemas = /response_format|json[_ ]?schema|structured output|guided|grammar/i

/**
 * The schemas that a server has refused: the request is repeated without them, and the caller must read the answer as
 * that of a model that was only asked for JSON.
 */
export class SchemaRefusals {
  readonly #refused = new Set<string>()
  #hasAccepted = false

  /** True where the server has refused some schemas and never accepted one. */
  get isTotal(): boolean {
    return this.#refused.size > 0 && !this.#hasAccepted
  }

  /** Returns the request without a schema that the server has refused. */
  withoutRefused<T extends { constraint?: Constraint }>(request: T): T {
    const { constraint, ...rest } = request
    return constraint !== undefined && this.#isRefused(constraint) ? (rest as T) : request
  }

  /** Notes a refusal; returns true where the error was about this schema, which is not sent any more. */
  hears(error: unknown, constraint: Constraint | undefined): boolean {
    if (constraint === undefined || this.#isRefused(constraint)) return false
    const cause = error instanceof Error ? error.cause : undefined
    if (!(cause instanceof ServerRefusal) || !aboutSchemas.test(`${cause.param} ${cause.message}`))
      return false
    this.#refused.add(JSON.stringify(constraint))
    return true
  }

  /** Notes that a request with this constraint was answered. */
  answered(constraint: Constraint | undefined): void {
    if (constraint !== undefined && !this.#isRefused(constraint)) this.#hasAccepted = true
  }

  #isRefused(constraint: Constraint): boolean {
    return this.isTotal || this.#refused.has(JSON.stringify(constraint))
  }
}
