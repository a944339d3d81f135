import { randomInt } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Fault } from '../answer.ts'

const keptRequests = 100
const keepAlive: [string, string] = ['Keep-Alive', `timeout=5, max=${keptRequests}`]
const jsonType = 'application/json; charset=utf-8'
const reasons: Record<number, string> = {
  200: 'OK',
  204: 'No Content',
  307: 'Temporary Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
}
const answered = new WeakMap<Socket, number>()

/**
 * One reply as the server's HTTP library writes it: headers in its order, errors and finished streams close the
 * connection, everything else keeps it for five seconds and a hundred requests.
 */
export class Reply {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #gone = new AbortController()

  /** A fault inside the reply, of whatever is answered. */
  fault: Fault | null = null

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request
    this.#response = response
    response.sendDate = false
    response.on('close', () => {
      if (!response.writableFinished) this.#gone.abort()
    })
  }

  /** Aborted when the asker closes the connection before the reply is complete. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  get hasBegun(): boolean {
    return this.#response.headersSent
  }

  options(): void {
    this.send(200, 'text/html', '', [
      ['Access-Control-Allow-Credentials', 'true'],
      ['Access-Control-Allow-Methods', 'GET, POST, DELETE, OPTIONS'],
      ['Access-Control-Allow-Headers', '*'],
    ])
  }

  json(status: number, value: unknown, contentType: string = jsonType): void {
    this.send(status, contentType, JSON.stringify(value))
  }

  send(status: number, contentType: string, body: string, more: readonly [string, string][] = []): void {
    const bytes = Buffer.from(body)
    const isLast = this.#countsAsLast()
    const closes = status >= 400 || isLast || this.#request.headers.connection === 'close'
    const range: [string, string][] = this.#request.method === 'HEAD' ? [['Accept-Ranges', 'bytes']] : []
    const length: [string, string] = ['Content-Length', String(bytes.length)]
    const type: [string, string] = ['Content-Type', contentType]
    const end: [string, string] = closes ? ['Connection', 'close'] : keepAlive
    // Replies without a body carry their length last.
    const rest: [string, string][] = bytes.length > 0 ? [type, length, end] : [type, end, length]
    this.#head(status, [...more, ...rest, ...range], !closes)
    this.#response.end(bytes)
    if (closes) this.#closeAfterEnd()
  }

  beginStream(contentType = 'text/event-stream'): void {
    if (this.hasBegun) return
    this.#countsAsLast()
    this.#head(
      200,
      [
        ['X-Accel-Buffering', 'no'],
        ['Content-Type', contentType],
        ['Transfer-Encoding', 'chunked'],
        keepAlive,
      ],
      true,
    )
    this.#response.flushHeaders()
  }

  write(data: string | Buffer): void {
    if (!this.gone.aborted) this.#response.write(data)
  }

  /** Ends a stream as it should end; the connection is closed although its header said otherwise. */
  end(): void {
    this.#response.end()
    this.#closeAfterEnd()
  }

  /** Half of a reply whose length promised the whole. */
  sendPart(contentType: string, body: string, share = 0.5): void {
    const bytes = Buffer.from(body)
    this.#head(
      200,
      [['Content-Type', contentType], ['Content-Length', String(bytes.length)], keepAlive],
      true,
    )
    this.#response.write(bytes.subarray(0, Math.floor(bytes.length * share)))
  }

  /** Closes the connection after what was written, without the end that HTTP wants. */
  cut(): void {
    const { socket } = this.#request
    socket.end()
    socket.destroySoon()
  }

  reset(): void {
    this.#request.socket.resetAndDestroy()
  }

  #countsAsLast(): boolean {
    const { socket } = this.#request
    const count = (answered.get(socket) ?? 0) + 1
    answered.set(socket, count)
    return count >= keptRequests
  }

  #head(status: number, headers: readonly [string, string][], isKept: boolean): void {
    const response = this.#response
    if (isKept) response.removeHeader('connection')
    const origin: [string, string] = ['Access-Control-Allow-Origin', this.#request.headers.origin ?? '']
    const all = [['Server', 'llama.cpp'], origin, ...headers]
    response.writeHead(status, reasons[status] ?? '', all.flat())
  }

  #closeAfterEnd(): void {
    const { socket } = this.#request
    if (this.#response.writableFinished) socket.end()
    else this.#response.once('finish', () => socket.end())
  }
}

const idCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export function randomId(prefix = ''): string {
  return prefix + Array.from({ length: 32 }, () => idCharacters[randomInt(idCharacters.length)]).join('')
}
