import type { RequestListener, Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { lateNode } from '../platform/node/late-node.ts'
import type { Strangers } from './strangers.ts'
import { readTlsFiles, type TlsFiles } from './tls-files.ts'

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
