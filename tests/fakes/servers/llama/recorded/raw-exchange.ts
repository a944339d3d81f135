import { connect } from 'node:net'

export type RawAnswer = {
  status: string
  headers: [string, string][]
  /** Without the chunks' framing. */
  body: string
  /** Whether the server closed the connection after the reply. */
  isClosed: boolean
}

export type RawRequest = { method: string; path: string; headers: Record<string, string>; body: Buffer }

const patienceMs = 20_000

/**
 * Sends the bytes themselves, so that no client library tidies anything up, and reads one whole reply;
 * a second request tells whether the connection was kept.
 */
export function exchange(address: string, request: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    let received = Buffer.alloc(0)
    let whole: Buffer | null = null
    const finish = (isClosed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ ...parse(whole ?? received, request.method), isClosed })
    }
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no whole reply to ${request.method} ${request.path}: ${received.toString()}`))
    }, patienceMs)
    socket.on('data', (part) => {
      // An answer to the second request: the connection was kept.
      if (whole !== null) return finish(false)
      received = Buffer.concat([received, part])
      if (!isWhole(received, request.method)) return
      whole = received
      socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    })
    socket.on('error', (error) => (whole === null ? reject(error) : finish(true)))
    socket.on('end', () => finish(true))
    const { 'Content-Length': _length, ...headers } = request.headers
    const length: Record<string, string> =
      request.method === 'POST' || request.body.length > 0
        ? { 'Content-Length': String(request.body.length) }
        : {}
    const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...length })
    socket.write(
      `${request.method} ${request.path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    )
    socket.write(request.body)
  })
}

function isWhole(received: Buffer, method: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return false
  const head = received.toString('latin1', 0, headEnd)
  if (/\r\ntransfer-encoding: chunked/i.test(head))
    return received.toString('latin1').endsWith('\r\n0\r\n\r\n')
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  return method === 'HEAD' || received.length >= headEnd + 4 + length
}

function parse(received: Buffer, method: string): Omit<RawAnswer, 'isClosed'> {
  const headEnd = received.indexOf('\r\n\r\n')
  const [status = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const rest = received.subarray(headEnd + 4)
  const isChunked = headers.some(([name]) => name === 'Transfer-Encoding')
  return {
    status,
    headers,
    body: (isChunked ? unchunk(rest) : method === 'HEAD' ? '' : rest).toString('utf8'),
  }
}

function unchunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (lineEnd === -1 || !(size > 0)) return Buffer.concat(parts)
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
