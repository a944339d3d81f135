import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import type { ModelTimeouts } from '../../../shared/domain/model/model-profile.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { withoutEnd } from '../../../shared/text/without-end.ts'
import type { Clock } from '../../deps.ts'
import { lateNode } from '../../platform/node/late-node.ts'
import { http } from '../../platform/node/node-http.ts'
import { SilenceWatch } from '../completion/silence-watch.ts'
import { ServerBusy } from './retry.ts'
import { readServerEvents } from './server-events.ts'

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
type FaultOf = (address: string, status: number, text: string, waitMs: number | null) => AppError

/** Makes the error of a server whose answers say no more than their status does. */
function usualFault(address: string, status: number, text: string, waitMs: number | null): AppError {
  if (status === 401) return new AppError({ code: 'model/unauthorized', address })
  // The server loads, or its queue is full; the requests in it may take minutes.
  if (status === 503 || status === 429)
    return new AppError({ code: 'model/busy', address }, { cause: new ServerBusy(waitMs) })
  const reason = `HTTP ${status}: ${text.slice(0, 200)}`
  return new AppError({ code: 'model/bad-response', address, reason })
}

/** Returns a count of tokens. Errors: `tokens/unreachable`, except for a stop and a wrong key. */
export async function counted(count: Promise<number>, signal: AbortSignal): Promise<number> {
  try {
    return await count
  } catch (error) {
    if (signal.aborted || isAppError(error, 'model/unauthorized')) throw error
    throw new AppError({ code: 'tokens/unreachable' }, { cause: error })
  }
}

/** The longest wait for an answer that needs no model. */
const controlMs = 20_000

/** Latin-1 without control characters. */
const headerText = /^[\x20-\x7e\x80-\xff]*$/

/** A model server's HTTP: one short-lived connection per request, answers checked by shape. */
export class ServerHttp {
  readonly #server: ModelServer
  readonly #faultOf: FaultOf

  constructor(server: ModelServer, faultOf: FaultOf = usualFault) {
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

  /** Opens a stream of server-sent events with JSON of this shape; the caller must watch for silence in it. */
  async openEvents<T extends z.ZodType>(path: string, body: unknown, shape: T, signal: AbortSignal) {
    const { pieces } = await this.open(path, body, signal)
    return readServerEvents(pieces, shape, (reason) => this.badResponse(reason))
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

type HttpAsk = {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  body?: string
  connectMs: number
  /** Cuts the exchange at any time; its reason is thrown then. */
  signal: AbortSignal
}

/** A reply. Shape: `contentType` in lower case, empty where there is none; `retryAfter` as the server wrote it. */
type HttpReply = {
  status: number
  contentType: string
  retryAfter?: string | undefined
  pieces: AsyncIterable<Uint8Array>
}

/**
 * Makes one exchange on its own socket, which is closed afterwards: model servers have few threads, and idle sockets
 * block them. `fetch` is not used, since it keeps sockets, hides when it is connected, and gives up by itself after
 * five minutes without headers, while a queued stream sends none until its turn.
 *
 * Errors: `model/unreachable`, `model/timeout` (connect), `model/cut` for a connection lost later;
 * the signal's reason when it fires. Redirects are not followed.
 * Source: KoboldCpp 1.76 as measured, HTTP layer.
 */
function exchange(clock: Clock, ask: HttpAsk): Promise<HttpReply> {
  const { signal, url } = ask
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const send = url.startsWith('https:') ? lateNode.https().request : http.request
    const body = ask.body === undefined ? undefined : Buffer.from(ask.body, 'utf8')
    const request = send(url, {
      method: ask.method,
      agent: false,
      headers: {
        ...ask.headers,
        connection: 'close',
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(body.byteLength) }),
      },
    })
    let isConnected = false
    const connectTimer = clock.setTimeout(() => {
      request.destroy(new AppError({ code: 'model/timeout', phase: 'connect', timeoutMs: ask.connectMs }))
    }, ask.connectMs)
    const cut = () => request.destroy(asError(signal.reason))
    const finish = () => {
      connectTimer.cancel()
      signal.removeEventListener('abort', cut)
    }
    signal.addEventListener('abort', cut, { once: true })
    request.on('socket', (socket) => {
      socket.once(url.startsWith('https:') ? 'secureConnect' : 'connect', () => {
        isConnected = true
        connectTimer.cancel()
      })
    })
    request.on('response', (response) => {
      resolve({
        status: response.statusCode ?? 0,
        contentType: (response.headers['content-type'] ?? '').toLowerCase(),
        retryAfter: response.headers['retry-after'],
        pieces: readPieces(response, url, signal),
      })
    })
    // Also after the response: a late error must not become an unhandled event.
    request.on('error', (error) => reject(translate(error, url, isConnected, signal)))
    request.on('close', finish)
    request.end(body)
  })
}

/**
 * Returns how long a `Retry-After` asks to wait: seconds, or a date. Null where it says neither.
 *
 * Units: milliseconds. Source: RFC 9110, 10.2.3.
 */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Math.ceil(Number(header) * 1000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

/** Reads the whole body as text. */
export async function readText(reply: HttpReply): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of reply.pieces) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

async function* readPieces(response: IncomingMessage, url: string, signal: AbortSignal) {
  try {
    for await (const piece of response) yield piece as Uint8Array
    // A destroyed request may end its response as if it were complete.
    signal.throwIfAborted()
  } catch (error) {
    throw translate(asError(error), url, true, signal)
  } finally {
    response.destroy()
  }
}

function translate(error: Error, url: string, isConnected: boolean, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof AppError) return error
  const address = new URL(url).origin
  const code = isConnected ? 'model/cut' : 'model/unreachable'
  return new AppError({ code, address }, { cause: error })
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason })
}
