import type { IncomingMessage } from 'node:http'
import { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import { lateNode } from '../../platform/node/late-node.ts'
import { http } from '../../platform/node/node-http.ts'

export type HttpAsk = {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  body?: string
  connectMs: number
  /** Cuts the exchange at any time; its reason is thrown then. */
  signal: AbortSignal
}

/** A reply. Shape: `contentType` in lower case, empty where there is none; `retryAfter` as the server wrote it. */
export type HttpReply = {
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
export function exchange(clock: Clock, ask: HttpAsk): Promise<HttpReply> {
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
