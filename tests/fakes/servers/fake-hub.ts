import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * How the server sends files: with ranges as Hugging Face does; without ranges; announcing ranges but sending the whole
 * file; cutting each answer in the middle once; or with a status in place of the file.
 */
export type HubManner =
  | 'ranges'
  | 'no-ranges'
  | 'false-ranges'
  | { cutAfterBytes: number }
  | { status: number }

/** Hugging Face's resolve API over real HTTP: a redirect with the linked size and hash, then the file in ranges. */
export type FakeHub = {
  address: string
  manner: HubManner
  /** What it says the hash is; null: nothing. */
  etag: string | null
  file: Buffer
  /** Sent at this pace; null: at once. */
  bytesPerSecond: number | null
  /** Bytes of the file from here on are kept back until this is raised; null: none. */
  holdFrom: number | null
  /** Bytes of the file that were sent in ranges so far. */
  sentBytes: number
  requests: { method: string; path: string; range: string | undefined }[]
  close(): Promise<void>
}

const pieceBytes = 64 * 1024

/** A file that begins as a GGUF and is as long as it is said. */
export function paddedGguf(head: Buffer, sizeBytes: number): Buffer {
  const file = Buffer.alloc(Math.max(sizeBytes, head.length))
  head.copy(file)
  // Not all zeros, so that a part that is missing shows.
  for (let at = head.length; at < file.length; at += 1) file[at] = (at * 31) & 0xff
  return file
}

export async function startFakeHub(file: Buffer): Promise<FakeHub> {
  const cutOnce = new Set<string>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = request
    hub.requests.push({ method, path: url, range: headers.range })
    const { manner } = hub
    if (typeof manner === 'object' && 'status' in manner) {
      response.writeHead(manner.status, { 'content-type': 'text/plain' }).end('no')
      return
    }
    if (url.includes('/resolve/')) {
      const linked = hub.etag === null ? {} : { 'x-linked-etag': `"${hub.etag}"` }
      const location = `/cdn/${url.split('/').at(-1)}`
      const size = { 'x-linked-size': String(hub.file.length), 'content-length': '0' }
      response.writeHead(302, { location, 'accept-ranges': 'bytes', ...size, ...linked }).end()
      return
    }
    await send(request, response)
  }

  async function send(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { manner } = hub
    const range = manner === 'ranges' || typeof manner === 'object' ? request.headers.range : undefined
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
    const from = Number(first ?? 0)
    const to = first === undefined || last === '' ? hub.file.length - 1 : Number(last)
    const common = {
      'content-type': 'application/octet-stream',
      'content-length': String(to - from + 1),
      etag: '"cdn"',
      ...(manner === 'no-ranges' ? {} : { 'accept-ranges': 'bytes' }),
    }
    if (range === undefined) response.writeHead(200, common)
    else {
      response.writeHead(206, { ...common, 'content-range': `bytes ${from}-${to}/${hub.file.length}` })
    }
    if (request.method === 'HEAD') return void response.end()
    await sendBody(response, from, to, range ?? 'all')
  }

  async function sendBody(response: ServerResponse, from: number, to: number, name: string): Promise<void> {
    const { manner } = hub
    let sent = 0
    for (let at = from; at <= to; at += pieceBytes) {
      while (hub.holdFrom !== null && at >= hub.holdFrom) {
        if (response.destroyed) return
        await pause(10)
      }
      if (response.destroyed) return
      const piece = hub.file.subarray(at, Math.min(at + pieceBytes, to + 1))
      if (typeof manner === 'object' && 'cutAfterBytes' in manner && !cutOnce.has(name)) {
        if (sent >= manner.cutAfterBytes) {
          cutOnce.add(name)
          response.destroy()
          return
        }
      }
      if (name !== 'all' && to - from > 16) hub.sentBytes += piece.length
      sent += piece.length
      if (!response.write(piece)) await drained(response)
      if (hub.bytesPerSecond !== null) await pause((piece.length * 1000) / hub.bytesPerSecond)
    }
    response.end()
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const hub: FakeHub = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    manner: 'ranges',
    etag: createHash('sha256').update(file).digest('hex'),
    file,
    bytesPerSecond: null,
    holdFrom: null,
    sentBytes: 0,
    requests: [],
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return hub
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.once('drain', go)
    response.once('close', go)
  })
}
