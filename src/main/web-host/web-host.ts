import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ApiOf, Contract } from '../../shared/contract/method.ts'
import { AppError } from '../../shared/errors.ts'
import { LINK_FRAGMENT, RPC_PATH } from '../../shared/rpc/link-protocol.ts'
import { serve } from '../../shared/rpc/serve.ts'
import type { Clock, Log } from '../deps.ts'
import { http } from '../platform/node/node-http.ts'
import { type AllowedHosts, bracketed, createAllowedHosts, isLoopback } from './allowed-hosts.ts'
import { createCredentials } from './credentials.ts'
import { createHttpHandler } from './http-handler.ts'
import { WEB_HOST_LIMITS, type WebHostLimits } from './limits.ts'
import { openRendererFiles } from './renderer-files.ts'
import { createRpcSockets } from './rpc-sockets.ts'
import { createStrangers } from './strangers.ts'
import type { TlsFiles } from './tls-server.ts'

export type WebHostOptions<C extends Contract> = {
  /** Loads the contract and API for windows; called for each accepted window. */
  load: () => Promise<{ contract: C; api: ApiOf<C> }>
  /** A browser has asked for the page of a window. */
  onPage?: () => void
  /** The built window: the folder with `index.html`. */
  rendererDir: string
  /** Address or name to listen on. Any other than this machine's own loopback needs `tls`. */
  host?: string
  /** 0 takes a free one. */
  port?: number
  tls?: TlsFiles | null
  /** Further names under which browsers reach this host, such as a reverse name of its address. */
  names?: readonly string[]
  log: Log
  clock: Clock
  limits?: Partial<WebHostLimits>
}

export type WebHost = Awaited<ReturnType<typeof createWebHost>>

/**
 * Serves the window and its API over HTTP and a WebSocket.
 *
 * Errors: `host/tls-needed`, `host/port-in-use`, `host/bad-address`, `host/bad-tls`; `file/not-found` for a
 * window that is not built or a missing TLS file.
 */
export async function createWebHost<C extends Contract>(options: WebHostOptions<C>) {
  const { log, clock } = options
  const host = options.host ?? '127.0.0.1'
  const limits = { ...WEB_HOST_LIMITS, ...options.limits }
  if (!isLoopback(host) && !options.tls) throw new AppError({ code: 'host/tls-needed', address: host })

  const files = await openRendererFiles(options.rendererDir)
  const credentials = createCredentials(() => clock.now(), limits)
  let allowedHosts: AllowedHosts | undefined
  const knownHosts = () => allowedHosts ?? { isHost: () => false, isOrigin: () => false }
  const handler = createHttpHandler({
    allowedHosts: knownHosts,
    credentials,
    files,
    log,
    onPage: options.onPage,
  })

  const strangers = createStrangers(clock, limits)
  let connectionCount = 0
  const sockets = createRpcSockets({
    isSecret: credentials.isSecret,
    load: options.load,
    onSecret: strangers.letIn,
    onPort(port, { contract, api }) {
      serve(port, contract, api, { log })
      connectionCount += 1
      port.onClose(() => {
        connectionCount -= 1
      })
    },
    limits,
    clock,
    log,
  })

  const { requestMs } = limits
  const timeouts = {
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    keepAliveTimeout: requestMs,
    connectionsCheckingInterval: Math.min(requestMs, 500),
  }
  const listener = (...[request, response]: Parameters<typeof handler>) => {
    let answered: (() => void) | undefined
    const answer = () => {
      answered = strangers.answering(request.socket)
    }
    const { 'transfer-encoding': encoding, 'content-length': length = 0 } = request.headers
    if (encoding !== undefined || Number(length) > 0) request.once('end', answer)
    else answer()
    response.once('close', () => answered?.())
    void handler(request, response)
  }
  const server = options.tls
    ? await (await import('./tls-server.ts')).createTlsServer(options.tls, timeouts, strangers, listener)
    : http.createServer(timeouts, listener)
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', strangers.add)
  server.on('upgrade', (request, socket: Duplex, head) => {
    // Node no longer handles errors of the socket; a reset before `ws` takes it over must not throw an exception.
    const ignoreReset = () => socket.destroy()
    socket.on('error', ignoreReset)
    const { origin, host: name } = request.headers
    // A refused socket keeps its deadline, since its peer may leave the other end open.
    if (request.url !== RPC_PATH) return hangUp(socket, '404 Not Found')
    if (!knownHosts().isOrigin(origin, name)) return hangUp(socket, '403 Forbidden')
    strangers.upgraded(socket)
    socket.off('error', ignoreReset)
    sockets.accept(request, socket, head)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // A browser opens connections before it uses them: a response without a request would answer its next one.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroy()
    else hangUp(socket, '400 Bad Request')
  })

  const { port } = await listen(server, host, options.port ?? 0)
  allowedHosts = createAllowedHosts({
    host,
    port,
    isTls: Boolean(options.tls),
    names: options.names ?? [],
  })
  const shownHost = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const url = `${options.tls ? 'https' : 'http'}://${bracketed(shownHost)}:${port}/`
  const link = (token: string) => `${url}#${LINK_FRAGMENT}=${token}`
  log.write('info', 'web-host.listening', { url })

  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
    await sockets.close()
    server.closeAllConnections()
    strangers.endAll()
    await stopped
    log.write('info', 'web-host.closed')
  }

  return {
    /** Shape: `http://127.0.0.1:4567/`, without a token. */
    url,
    /** Returns the link for the terminal, which is valid until the host stops. */
    printedLink: () => link(credentials.printedToken),
    /** Returns a link for a browser's command line, which is valid once and for a short time. */
    onceLink: () => link(credentials.createOnceToken()),
    /** Returns the number of connected windows. */
    connectionCount: () => connectionCount,
    close(): Promise<void> {
      closing ??= close()
      return closing
    },
  }
}

/** Maximum number of connections, for which the process has descriptors; strangers have a much lower limit. */
const MAX_CONNECTIONS = 1024

function hangUp(socket: Duplex, status: string): void {
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  else socket.destroy()
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  const address = `${bracketed(host)}:${port}`
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code ?? cause.message
      const isInUse = cause.code === 'EADDRINUSE'
      const info = isInUse
        ? ({ code: 'host/port-in-use', address } as const)
        : ({ code: 'host/bad-address', address, reason } as const)
      reject(new AppError(info, { cause }))
    })
    server.listen({ host, port, exclusive: true }, () => resolve(server.address() as AddressInfo))
  })
}
