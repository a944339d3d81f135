import type { z } from 'zod'
import type { ModelTimeouts } from '../../../shared/domain/model/model-profile.ts'
import { AppError } from '../../../shared/errors.ts'
import { withoutEnd } from '../../../shared/text/without-end.ts'
import type { Clock } from '../../deps.ts'
import { SilenceWatch } from '../completion/silence-watch.ts'
import { exchange, type HttpReply, readText, retryAfterMs } from './http-exchange.ts'

export type ModelServer = {
  clock: Clock
  /** With or without a path prefix and a trailing slash. */
  address: string
  timeouts: ModelTimeouts
  key: () => Promise<string | undefined>
  /** Sent with every request. */
  headers?: Record<string, string> | undefined
}

/** Makes the error of an answer whose status is not 200. `waitMs`: the wait the server asks for; null: not told. */
export type FaultOf = (address: string, status: number, text: string, waitMs: number | null) => AppError

/** The longest wait for an answer that needs no model. */
const controlMs = 20_000

/** Latin-1 without control characters. */
const headerText = /^[\x20-\x7e\x80-\xff]*$/

/** A model server's HTTP: one short-lived connection per request, answers checked by shape. */
export class ServerHttp {
  readonly #server: ModelServer
  readonly #faultOf: FaultOf

  constructor(server: ModelServer, faultOf: FaultOf) {
    this.#server = server
    this.#faultOf = faultOf
  }

  get address(): string {
    return this.#server.address
  }

  /** Paths must be exactly those that the server knows: with a query, the path would be another one. */
  async get<T extends z.ZodType>(path: string, shape: T, signal: AbortSignal): Promise<z.output<T>> {
    return this.#asked('GET', path, undefined, shape, signal)
  }

  /** `waitMs`: the time limit of an answer that takes longer than one without a model. */
  async post<T extends z.ZodType>(
    path: string,
    body: unknown,
    shape: T,
    signal: AbortSignal,
    waitMs?: number,
  ): Promise<z.output<T>> {
    return this.#asked('POST', path, body, shape, signal, waitMs)
  }

  /** Opens a stream; the caller must watch for silence in it. */
  async open(path: string, body: unknown, signal: AbortSignal): Promise<HttpReply> {
    return this.#send('POST', path, body, signal)
  }

  /** Makes one exchange, whatever its status. */
  async exchange(
    method: 'GET' | 'POST',
    path: string,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<HttpReply> {
    const { clock, address, timeouts, key, headers = {} } = this.#server
    const secret = (await key())?.trim() ?? ''
    // A key that a header cannot carry cannot be the key of any server.
    if (!headerText.test(secret)) throw new AppError({ code: 'model/unauthorized', address })
    return exchange(clock, {
      method,
      url: `${withoutEnd(address, '/')}${path}`,
      connectMs: timeouts.connectMs,
      signal,
      // Exactly "Bearer": servers compare the whole header.
      headers: secret === '' ? headers : { ...headers, authorization: `Bearer ${secret}` },
      ...(body === undefined ? {} : { body }),
    })
  }

  badResponse(reason: string, cause?: unknown): AppError {
    return new AppError({ code: 'model/bad-response', address: this.address, reason }, { cause })
  }

  /** Returns the error of a connection that ended before the answer did. */
  cut(): AppError {
    return new AppError({ code: 'model/cut', address: this.address })
  }

  /** Returns the reply, or throws the error that its status means. */
  protected async answered(reply: HttpReply): Promise<HttpReply> {
    if (reply.status === 200) return reply
    // The body is read to its end, so that the connection is closed.
    const waitMs = retryAfterMs(reply.retryAfter, this.#server.clock.now())
    throw this.#faultOf(this.address, reply.status, await readText(reply), waitMs)
  }

  /** Runs an exchange that needs no model, with a time limit. */
  protected async control<T>(
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
    waitMs = controlMs,
  ): Promise<T> {
    const watch = new SilenceWatch(this.#server.clock, signal)
    watch.expect('idle', waitMs)
    try {
      return await work(watch.signal)
    } finally {
      watch.close()
    }
  }

  protected readAs<T extends z.ZodType>(path: string, text: string, shape: T): z.output<T> {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      throw this.badResponse(`${path}: no JSON`, error)
    }
    const parsed = shape.safeParse(value)
    if (!parsed.success) throw this.badResponse(`${path}: ${parsed.error.issues[0]?.message}`, parsed.error)
    return parsed.data
  }

  async #asked<T extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    shape: T,
    signal: AbortSignal,
    waitMs?: number,
  ): Promise<z.output<T>> {
    const read = async (until: AbortSignal) => readText(await this.#send(method, path, body, until))
    return this.readAs(path, await this.control(signal, read, waitMs), shape)
  }

  async #send(method: 'GET' | 'POST', path: string, body: unknown, signal: AbortSignal): Promise<HttpReply> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return this.answered(await this.exchange(method, path, text, signal))
  }
}
