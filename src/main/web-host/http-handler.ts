import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { LINK_PATH } from '../../shared/rpc/link-protocol.ts'
import { parseJson } from '../../shared/text/json.ts'
import type { Log } from '../deps.ts'
import type { AllowedHosts } from './allowed-hosts.ts'
import { securityHeaders } from './content-security-policy.ts'
import type { Credentials } from './credentials.ts'
import type { RendererFiles } from './renderer-files.ts'

const LINK_BODY_LIMIT_BYTES = 4096
const LinkBody = z.object({ token: z.string() })

type Answer = { status: number; headers?: Record<string, string>; body?: Buffer }

/** Answers the two kinds of HTTP requests: for the window's files, and for the exchange of a link token. */
export function createHttpHandler(options: {
  /** Available once the port is known. */
  allowedHosts(): AllowedHosts
  credentials: Credentials
  files: RendererFiles
  log: Log
  onPage: (() => void) | undefined
}) {
  const { credentials, files, log } = options

  async function answer(request: IncomingMessage): Promise<Answer> {
    const hosts = options.allowedHosts()
    const { host, origin } = request.headers
    if (!hosts.isHost(host)) return plain(403, 'This name is not allowed here.')
    if (origin !== undefined && !hosts.isOrigin(origin, host)) return plain(403, 'Another site may not ask.')
    const path = (request.url ?? '').replace(/[?#].*$/s, '')
    if (path === LINK_PATH) return exchange(request, hosts)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return plain(405, 'GET only.', { Allow: 'GET, HEAD' })
    if (path === '/') options.onPage?.()
    const file = await files.read(path, { gzip: /\bgzip\b/.test(String(request.headers['accept-encoding'])) })
    return file ? { status: 200, ...file } : plain(404, 'There is nothing here.')
  }

  async function exchange(request: IncomingMessage, hosts: AllowedHosts): Promise<Answer> {
    if (request.method !== 'POST') return plain(405, 'POST only.', { Allow: 'POST' })
    if (!hosts.isOrigin(request.headers.origin, request.headers.host))
      return plain(403, 'Another site may not ask.')
    if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return plain(415, 'JSON only.')
    const text = await readBody(request, LINK_BODY_LIMIT_BYTES)
    if (text === undefined) return plain(413, 'Too large.', { Connection: 'close' })
    const body = LinkBody.safeParse(parseJson(text))
    if (!body.success) return plain(400, 'A token is missing.')

    const result = credentials.exchange(body.data.token, request.socket.remoteAddress ?? '')
    if (result === 'wait') return plain(429, 'Too many wrong links.', { 'Retry-After': '60' })
    if (result === 'wrong') {
      log.write('warn', 'web-host.wrong-link')
      return plain(401, 'This link is not valid.')
    }
    return {
      status: 200,
      headers: { ...securityHeaders(), 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
      body: Buffer.from(JSON.stringify(result)),
    }
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let result: Answer
    try {
      result = await answer(request)
    } catch (error) {
      if (request.destroyed && !request.complete) return // The browser hung up in the middle of a body.
      log.bug(error, 'web-host.http')
      result = plain(500, 'Something went wrong.')
    }
    const body = result.body ?? Buffer.alloc(0)
    response.writeHead(result.status, { ...result.headers, 'Content-Length': body.length })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

// A browser shows these only where the window itself cannot load, before any language is known.
function plain(status: number, text: string, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: {
      ...securityHeaders(),
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      ...headers,
    },
    body: Buffer.from(`${text}\n`),
  }
}

/** Reads the body of a request; undefined when it has more than `limitBytes`. */
async function readBody(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > limitBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
