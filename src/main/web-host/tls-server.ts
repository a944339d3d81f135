import type { RequestListener, Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '../../shared/errors.ts'
import { readSmallFile } from '../platform/files/read-regular-file.ts'
import { lateNode } from '../platform/node/late-node.ts'
import type { Strangers } from './strangers.ts'

/** Creates a server that accepts TLS only. Errors: as `readTlsFiles`. */
export async function createTlsServer(
  files: TlsFiles,
  timeouts: ServerOptions,
  strangers: Strangers,
  listener: RequestListener,
): Promise<Server> {
  const options = { ...timeouts, handshakeTimeout: timeouts.requestTimeout, ...(await readTlsFiles(files)) }
  const server = lateNode.https().createServer(options, listener)
  countHandshakes(server, strangers)
  return server
}

/** Counts connections as strangers before their TLS handshake, too; after it Node represents them by another object. */
function countHandshakes(server: Server, strangers: Strangers): void {
  const beginning = new Map<string, Socket>()
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket)
    beginning.set(name, socket)
    socket.once('close', () => beginning.delete(name))
  })
  server.on('secureConnection', (socket: Socket) => {
    const raw = beginning.get(nameOf(socket))
    if (raw !== undefined) strangers.letIn(raw)
    strangers.add(socket)
  })
}

/** Absolute paths of PEM files. */
export type TlsFiles = { certFile: string; keyFile: string }

/** Errors: `file/not-found`, `file/failed`; `host/bad-tls` for files that are not a certificate and its key. */
async function readTlsFiles({ certFile, keyFile }: TlsFiles): Promise<{ cert: Buffer; key: Buffer }> {
  const [cert, key] = await Promise.all([readPem(certFile), readPem(keyFile)])
  try {
    lateNode.tls().createSecureContext({ cert, key })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError({ code: 'host/bad-tls', reason }, { cause })
  }
  return { cert, key }
}

async function readPem(path: string): Promise<Buffer> {
  try {
    return await readSmallFile(path)
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable'
    const info =
      reason === 'ENOENT'
        ? ({ code: 'file/not-found', path } as const)
        : ({ code: 'file/failed', path, reason } as const)
    throw new AppError(info, { cause })
  }
}
