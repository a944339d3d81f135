import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { CLOSE_TRY_AGAIN, CLOSE_UNAUTHORIZED } from '../../shared/rpc/link-protocol.ts'
import { parseJson } from '../../shared/text/json.ts'
import type { HostPort } from '../../shared/wire.ts'
import type { Clock, Log } from '../deps.ts'
import type { WebHostLimits } from './limits.ts'
import { createWebSocketPort } from './web-socket-port.ts'

/** "Going away": RFC 6455, 7.4.1. */
const CLOSE_GOING_AWAY = 1001
const FIRST_MESSAGE_LIMIT_BYTES = 1024
const FirstMessage = z.object({ secret: z.string() })

/** Manages the WebSockets of all windows: checks their secret, limits their messages, and pings them. */
export function createRpcSockets<T>(options: {
  isSecret(candidate: string): boolean
  /** Called with a connection whose socket has sent the right secret. */
  onSecret(connection: Duplex): void
  /** Loads the API for an accepted window; where that fails, the window is closed and may try again. */
  load(): Promise<T>
  onPort(port: HostPort, loaded: T): void
  limits: WebHostLimits
  clock: Clock
  log: Log
}) {
  const { isSecret, limits, clock, log } = options
  let server: Promise<WebSocketServer> | undefined
  const all = new Set<WebSocket>()
  let isClosing = false

  /** Loads the server with the first window, since a start without a window needs none. */
  async function loadServer(): Promise<WebSocketServer> {
    const { WebSocketServer } = await import('ws')
    return new WebSocketServer({
      noServer: true,
      maxPayload: limits.messageBytes,
      perMessageDeflate: false,
    })
  }

  /** Ignores a socket's error, since `close` follows; without a listener, an attacker's bad frame would throw. */
  function noteError(error: Error): void {
    log.write('warn', 'web-host.socket-error', { reason: error.message })
  }

  function welcome(socket: WebSocket, connection: Duplex): void {
    all.add(socket)
    let isWaiting = true
    const deadline = clock.setTimeout(() => {
      // A host that was busy first reads messages that have come meanwhile. A busy window may try again.
      setImmediate(() => isWaiting && refuse('late', CLOSE_TRY_AGAIN))
    }, limits.authMs)
    keepAlive(socket)
    socket.on('close', () => {
      isWaiting = false
      deadline.cancel()
      all.delete(socket)
    })
    socket.on('error', noteError)

    function refuse(reason: 'late' | 'wrong-secret' | 'not-loaded', code: number): void {
      isWaiting = false
      log.write('warn', 'web-host.socket-refused', { reason })
      socket.close(code)
      hangUpLater(socket)
    }

    socket.once('message', (data, isBinary) => {
      if (!isWaiting) return
      isWaiting = false
      deadline.cancel()
      const text = isBinary ? '' : String(data)
      const first = FirstMessage.safeParse(
        text.length > FIRST_MESSAGE_LIMIT_BYTES ? undefined : parseJson(text),
      )
      if (!first.success || !isSecret(first.data.secret)) {
        refuse('wrong-secret', CLOSE_UNAUTHORIZED)
        return
      }
      options.onSecret(connection)
      options.load().then(letIn, (error: unknown) => {
        log.bug(error, 'web-host.load')
        refuse('not-loaded', CLOSE_TRY_AGAIN)
      })
    })

    function letIn(loaded: T): void {
      if (socket.readyState !== socket.OPEN) return
      options.onPort(createWebSocketPort(socket), loaded)
      socket.send(JSON.stringify({ ready: true }))
    }
  }

  function keepAlive(socket: WebSocket): void {
    let hasAnswered = true
    let timer = clock.setTimeout(check, limits.pingMs)
    socket.on('pong', () => {
      hasAnswered = true
    })
    socket.on('close', () => timer.cancel())

    function check(): void {
      if (!hasAnswered) {
        socket.terminate()
        return
      }
      hasAnswered = false
      socket.ping()
      timer = clock.setTimeout(check, limits.pingMs)
    }
  }

  // A peer that does not answer the closing handshake would hold its socket for 30 s.
  function hangUpLater(socket: WebSocket): void {
    const timer = clock.setTimeout(() => socket.terminate(), limits.goodbyeMs)
    socket.once('close', () => timer.cancel())
  }

  return {
    /** Takes over an upgrade whose Host and Origin are in order. */
    accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      // Until `ws` handles errors of the socket, a reset must not throw an exception.
      const ignoreReset = () => socket.destroy()
      socket.on('error', ignoreReset)
      server ??= loadServer()
      server.then(
        (loaded) => {
          socket.off('error', ignoreReset)
          loaded.handleUpgrade(request, socket, head, (opened) => {
            if (isClosing) {
              opened.on('error', noteError)
              opened.close(CLOSE_GOING_AWAY)
              hangUpLater(opened)
            } else {
              welcome(opened, socket)
            }
          })
        },
        (error: unknown) => {
          server = undefined
          log.bug(error, 'web-host.sockets')
          socket.destroy()
        },
      )
    },
    async close(): Promise<void> {
      isClosing = true
      const closed = [...all].map(
        (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
      )
      for (const socket of all) {
        socket.close(CLOSE_GOING_AWAY)
        hangUpLater(socket)
      }
      await Promise.all(closed)
      const loaded = await server?.catch(() => undefined)
      loaded?.close()
    },
  }
}
