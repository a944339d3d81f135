import { createServer, type Server, type Socket } from 'node:net'

export type RawRequest = {
  method: string
  path: string
  headers: Map<string, string>
  body: Buffer
}

/** What a handler can do with the socket; every answer closes it. */
export type RawReply = {
  send(status: string, headers: [string, string][], body?: string): void
  /** Sends the head of a reply that has no length. */
  begin(status: string, headers: [string, string][]): void
  write(text: string): void
  end(): void
  /** Closes without another byte. */
  drop(): void
  readonly isOpen: boolean
  onClose(listener: () => void): void
}

const cors: [string, string][] = [
  ['access-control-allow-origin', '*'],
  ['access-control-allow-methods', '*'],
  [
    'access-control-allow-headers',
    '*, Accept, Content-Type, Content-Length, Cache-Control, Accept-Encoding, X-CSRF-Token, Client-Agent, X-Fields, Content-Type, Authorization, X-Requested-With, X-HTTP-Method-Override, apikey, genkey',
  ],
  ['cache-control', 'no-store'],
]

/** The headers that every reply ends with. */
export function commonHeaders(contentType?: string): [string, string][] {
  return contentType === undefined ? cors : [...cors, ['content-type', contentType]]
}

const bodyLimitBytes = 32 * 1024 * 1024

/**
 * A server that speaks HTTP/1.0 as Python's `http.server` does: one request per connection, a body only by
 * Content-Length, and the connection closed after the reply.
 */
export function createRawServer(
  handle: (request: RawRequest, reply: RawReply) => void,
  onTooLarge: (reply: RawReply) => void,
): Server {
  return createServer((socket) => {
    socket.on('error', () => socket.destroy())
    let received = Buffer.alloc(0)
    const read = (piece: Buffer) => {
      received = Buffer.concat([received, piece])
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const head = parseHead(received.subarray(0, headEnd).toString('latin1'))
      const length = Number(head.headers.get('content-length') ?? 0)
      if (length > bodyLimitBytes) {
        socket.off('data', read)
        return onTooLarge(replyOn(socket))
      }
      if (received.length < headEnd + 4 + length) return
      socket.off('data', read)
      socket.resume()
      handle({ ...head, body: received.subarray(headEnd + 4, headEnd + 4 + length) }, replyOn(socket))
    }
    socket.on('data', read)
  })
}

function parseHead(text: string): Omit<RawRequest, 'body'> {
  const [first = '', ...lines] = text.split('\r\n')
  const [method = '', path = ''] = first.split(' ')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  return { method, path, headers }
}

function replyOn(socket: Socket): RawReply {
  const head = (status: string, headers: [string, string][]) => {
    const all: [string, string][] = [
      ['Server', 'ConcedoLlamaForKoboldServer '],
      ['Date', new Date().toUTCString()],
      ...headers,
    ]
    return `HTTP/1.0 ${status}\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  }
  const write = (text: string) => {
    if (!socket.destroyed) socket.write(text)
  }
  return {
    send(status, headers, body = '') {
      write(head(status, headers) + body)
      socket.end()
    },
    begin: (status, headers) => write(head(status, headers)),
    write,
    end: () => socket.end(),
    drop: () => socket.destroy(),
    get isOpen() {
      return !socket.destroyed
    },
    onClose: (listener) => socket.on('close', listener),
  }
}
